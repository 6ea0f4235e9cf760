/** Builds the documentation site and reads it in headless Chromium. Skipped without Chromium or the packages of docs/. */
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Browser, findChromium } from '../support/browser.ts';
import { sharedFolder } from '../support/folders.ts';
import { type Service, startService } from '../support/service.ts';
import { root } from './examples.ts';

const chromium = findChromium();
const isInstalled = existsSync(join(root, 'docs/node_modules/vitepress'));
const missing = [
  ...(chromium ? [] : ['Chromium']),
  ...(isInstalled ? [] : ['the packages of docs/ (npm run docs)']),
];
if (missing.length > 0)
  console.warn(`test/docs/site.test.ts is skipped: ${missing.join(' and ')} not installed`);

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

const serveFolder = (folder: string) =>
  startService(async ({ url = '/' }, response) => {
    const path = decodeURIComponent(url.replace(/[?#].*/, ''));
    const file = join(folder, path.endsWith('/') ? `${path}index.html` : path);
    const content = await readFile(file).catch(() => undefined);
    response.writeHead(content ? 200 : 404, { 'content-type': types[extname(file)] ?? 'text/plain' });
    response.end(content);
  });

/** Pages with different contents: prose, examples, wide tables, long lists of fields. */
const pages = [
  '',
  'first-ten-minutes',
  'install',
  'cookbook',
  'cookbook/jobs',
  'troubleshooting',
  'coming-from/curl',
  'output',
  'exit-codes',
  'security',
  'agents',
  'state-files',
  'sandbox',
  'answers',
  'reference/',
  'reference/jobs',
  'reference/hooks',
  'reference/flags',
  'reference/settings',
];
const windows = [
  { name: 'desktop, light', width: 1280, height: 900, scheme: 'light' },
  { name: 'desktop, dark', width: 1280, height: 900, scheme: 'dark' },
  { name: 'tablet, light', width: 768, height: 900, scheme: 'light' },
  { name: 'phone, light', width: 360, height: 740, scheme: 'light' },
  { name: 'phone, dark', width: 360, height: 740, scheme: 'dark' },
] as const;

const folder = sharedFolder();

describe.skipIf(missing.length > 0)('the documentation site', () => {
  let server: Service;
  let browser: Browser;
  let base = '';
  let all: string[] = [];

  beforeAll(async () => {
    await execa('node', [join(root, 'scripts/docs.mjs'), '--outDir', folder], {
      env: { NODE_ENV: 'production', VITEST: undefined },
    });
    server = await serveFolder(folder);
    base = `${server.origin}/`;
    browser = await Browser.open(chromium as string);
    const files = await readdir(folder, { recursive: true });
    all = files.filter((name) => name.endsWith('.html') && name !== '404.html');
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  const open = (page: string) =>
    browser.goto(base + (page === '' || page.endsWith('/') ? page : `${page}.html`));

  test('has no dead links, including headings', async () => {
    const links = new Map<string, readonly string[]>();
    const headings = new Map<string, ReadonlySet<string>>();
    for (const name of all) {
      const html = await readFile(join(folder, name), 'utf8');
      const hrefs = [...html.matchAll(/<a\b[^>]*\bhref="([^"]*)"/g)].map(([, href = '']) => href);
      links.set(
        name,
        hrefs.filter((href) => !/^(https?|mailto):/.test(href)),
      );
      headings.set(name, new Set([...html.matchAll(/\bid="([^"]*)"/g)].map(([, id = '']) => id)));
    }
    const dead = [...links].flatMap(([name, hrefs]) =>
      hrefs
        .filter((href) => {
          const { pathname, hash } = new URL(href, `http://site/${name}`);
          const target = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
          const ids = headings.get(target.slice(1));
          return !ids || (hash !== '' && !ids.has(decodeURIComponent(hash.slice(1))));
        })
        .map((href) => `${name}: ${href}`),
    );
    expect(all.length).toBeGreaterThan(35);
    expect([...links.values()].flat().length).toBeGreaterThan(500);
    expect(dead).toEqual([]);
  });

  test.each(windows)(
    '$name: pages have no errors, no horizontal scrolling and readable text',
    async ({ width, height, scheme }) => {
      await browser.setWindow(width, height, scheme);
      for (const page of pages) {
        await open(page);
        await browser.until("document.querySelector('#app')?.__vue_app__ !== undefined");
        const seen = await browser.evaluate<{
          overflow: number;
          size: number;
          dark: boolean;
          color: string;
        }>(`({
        overflow: document.documentElement.scrollWidth - innerWidth,
        size: Math.min(...[...document.querySelectorAll('.vp-doc p, .vp-doc td')].map((one) => parseFloat(getComputedStyle(one).fontSize))),
        dark: document.documentElement.classList.contains('dark'),
        color: getComputedStyle(document.body).backgroundColor,
      })`);
        expect(seen.overflow, page).toBeLessThanOrEqual(0);
        expect(seen.size, page).toBeGreaterThanOrEqual(13);
        expect(seen.dark, page).toBe(scheme === 'dark');
        const brightness = Math.max(...(seen.color.match(/\d+/g) ?? []).slice(0, 3).map(Number));
        expect(brightness < 128, `${page} ${seen.color}`).toBe(scheme === 'dark');
        const screenshots = process.env['SITE_SCREENSHOTS'];
        if (!screenshots) continue;
        await mkdir(screenshots, { recursive: true });
        const { data } = await browser.send('Page.captureScreenshot');
        await writeFile(
          join(screenshots, `${page.replaceAll('/', '-') || 'home'}-${width}-${scheme}.png`),
          String(data),
          'base64',
        );
      }
      expect(browser.errors).toEqual([]);
    },
  );

  test('the search finds a command and opens its page', async () => {
    await browser.setWindow(1280, 900, 'light');
    await open('');
    await browser.until("document.querySelector('#app')?.__vue_app__ !== undefined");
    await browser.evaluate("document.querySelector('#local-search button').click()");
    await browser.until("document.querySelector('#localsearch-input') !== null");
    await browser.evaluate("document.querySelector('#localsearch-input').focus()");
    await browser.send('Input.insertText', { text: 'variables set' });
    await browser.until("document.querySelectorAll('#localsearch-list a').length > 0");
    const first = await browser.evaluate<string>("document.querySelector('#localsearch-list a').href");
    expect(first).toContain('reference/variables.html#svc-variables-set');
    await browser.evaluate("document.querySelector('#localsearch-list a').click()");
    await browser.until("document.querySelector('h1')?.textContent.startsWith('svc variables')");
    expect(browser.errors).toEqual([]);
  });

  test('requests nothing from other hosts', () => {
    const others = browser.requests.filter(
      (url) => !url.startsWith(base) && !/^(data|about|blob):/.test(url),
    );
    expect(browser.requests.length).toBeGreaterThan(20);
    expect(others).toEqual([]);
  });
});
