// What is loaded together. Each file that Node opens costs a third of a millisecond, so what the everyday way of a command
// needs comes in few: `start` always, `spec` with an area, `pages` for help, `call` for a request, `wire` to send it.
const within = (...patterns) => new RegExp(patterns.join('|'));

export const groups = [
  {
    name: 'start',
    priority: 5,
    test: within(
      'rolldown',
      'src/(main|errors)\\.ts$',
      'src/cli/(program|flags|words|exits|version)\\.ts$',
      'src/(api|cli/builtin)/index\\.ts$',
      'src/output/formats\\.ts$',
    ),
  },
  {
    name: 'spec',
    priority: 4,
    test: within(
      'src/spec/(?!schema)',
      'src/api/(scopes|parts)\\.ts$',
      'src/cli/(area|additions|leaf|terminal)\\.ts$',
    ),
  },
  {
    name: 'pages',
    priority: 3,
    test: within('src/docs/(help|layout|model|words|blocks)\\.ts$', 'builtin/help\\.ts$'),
  },
  {
    name: 'wire',
    priority: 3,
    test: within(
      'node_modules/undici/lib/(core|util|llhttp|handler)/',
      'node_modules/undici/lib/dispatcher/(client|client-h1|dispatcher|dispatcher-base|fixed-queue|pool|pool-base)\\.js$',
      'src/http/(undici|exchange)\\.ts$',
      'unused-undici',
    ),
  },
  // Every format but JSON as it came.
  { name: 'formats', priority: 1, test: within('src/output/') },
  {
    name: 'call',
    priority: 2,
    test: within(
      'node_modules/commander/',
      'unused-commander',
      'src/cli/(?!builtin|attributes|download)',
      'src/config/(paths|profiles|settings|credentials)\\.ts$',
      'src/http/(client|answers|encoding|failures|link|promise|redact|redirect|retry|transport)\\.ts$',
      'src/output/(index|printer|passthrough|raw|scanner|sink|json|rows|values|tokens)\\.ts$',
    ),
  },
];
