import { readdirSync } from 'node:fs';
import { defineConfig } from 'vitepress';

const areas = readdirSync(new URL('../reference/', import.meta.url))
  .map((name) => name.replace(/\.md$/, ''))
  .filter((name) => !['index', 'other-commands', 'flags', 'settings'].includes(name))
  .sort();
const pages = (links) => Object.entries(links).map(([text, link]) => ({ text, link }));

// The path of the site on its web server.
const base = process.env.DOCS_BASE ?? '/';

export default defineConfig({
  title: 'svc',
  description: 'A command-line client for project hosting and CI/CD',
  lang: 'en-US',
  srcExclude: ['decisions/**'],
  base,
  head: [['link', { rel: 'icon', href: `${base}icon.svg` }]],
  markdown: { theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' } },
  themeConfig: {
    search: { provider: 'local', options: { detailedView: true } },
    nav: pages({ Start: '/first-ten-minutes', Cookbook: '/cookbook', Reference: '/reference/' }),
    sidebar: [
      { text: 'Start', items: pages({ 'First ten minutes': '/first-ten-minutes', Installation: '/install', Cookbook: '/cookbook', Testing: '/testing', Troubleshooting: '/troubleshooting' }) },
      {
        text: 'Coming from',
        items: pages({ glab: '/coming-from/glab', gh: '/coming-from/gh', 'python-gitlab': '/coming-from/python-gitlab', curl: '/coming-from/curl', Comparison: '/comparison' }),
      },
      {
        text: 'Guides',
        items: pages({
          Answers: '/answers',
          Output: '/output',
          Scripts: '/scripting',
          'Schemas for programs': '/schema',
          Agents: '/agents',
          'State files': '/state-files',
          'In CI/CD jobs': '/ci',
          'Exit codes': '/exit-codes',
          Security: '/security',
          Performance: '/performance',
        }),
      },
      {
        text: 'Reference',
        items: [
          ...pages({ Overview: '/reference/', 'Common flags': '/reference/flags', Settings: '/reference/settings', 'Other commands': '/reference/other-commands' }),
          { text: 'Areas', collapsed: true, items: areas.map((name) => ({ text: name, link: `/reference/${name}` })) },
        ],
      },
    ],
    outline: { level: [2, 3] },
    docFooter: { prev: 'Previous', next: 'Next' },
  },
});
