/** SHAs of acme/rocket in a new sandbox. */
export const seededShas = {
  main: '72bc266cf55d6da7800df6e91b5af3791a328886',
  'main~3': '6681fc751290f78433858b5e3267e7753e481d0a',
  develop: 'fcf8f31965dd54018659d77f2b5f08be5b626584',
  'feature/login': 'fd2faf52acc900ff64f8cc9982b230cedc70c773',
  'feature/search': 'ef49cd81c73ea72a3b891d757a7a34e3dddbd441',
  'hotfix/typo': '1e7f51c6a377a1c3870f48b9282ee2e93428da9f',
  'release/1.x': '9759019bc3ec587deb4910b20481461da1197bc5',
  'v1.0.0': '9dd645da534eea5170316b8a93f33ecab91d758e',
  'v1.1.0': '1828fbca0f73165900d6961a7669b7665488e8f2',
} as const;
