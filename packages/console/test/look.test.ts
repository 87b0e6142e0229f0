// What every page looks like: movement, contrast and the sizes of targets, in a real browser.

import { expect, test } from 'vitest';
import { newTestApp } from '../../server/test/harness.ts';
import { showScheme, useConsole } from './browser.ts';

const { openSignedIn, server, operator } = await useConsole();
const { packageName } = await newTestApp(server);

test('nothing moves for users who prefer reduced motion, not even a skeleton', async () => {
  await using opened = await openSignedIn();
  const { page } = opened;
  await page.route('**/operator/v1/actions*', () => undefined);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Audit' }).click();
  await page.locator('.mantine-Skeleton-root').first().waitFor();
  expect(await page.evaluate('document.getAnimations().length')).toBe(0);
});

test('placeholders have a contrast of 4.5:1 in both color schemes', async () => {
  await using opened = await openSignedIn();
  const { page } = opened;
  for (const scheme of ['dark', 'light'] as const) {
    await showScheme(page, scheme);
    await page.getByPlaceholder('All apps').waitFor();
    const [text = '', ground = ''] = await page.evaluate<string[]>(colorsOfPlaceholder);
    expect(contrastOf(text, ground)).toBeGreaterThan(4.5);
  }
});

const colorsOfPlaceholder = `(() => {
  const input = document.querySelector('input[placeholder]');
  return [getComputedStyle(input, '::placeholder').color, getComputedStyle(input).backgroundColor];
})()`;

/** Of two colors such as rgb(1, 2, 3), as WCAG 2.2 defines it. */
function contrastOf(one: string, other: string): number {
  const luminanceOf = (color: string) => {
    const [red = 0, green = 0, blue = 0] = (color.match(/\d+/g) ?? []).map((value) => {
      const share = Number(value) / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminanceOf(one), luminanceOf(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('links and buttons of a list are targets of 24 px, and only the row with the focus has a copy button', async () => {
  const { purchaseId } = await operator.recordPurchase({ packageName, productId: 'coins' });
  await operator.recordPurchase({ packageName, productId: 'coins' });
  await using opened = await openSignedIn({ path: `/console/apps/${packageName}/purchases` });
  const { page, failures } = opened;
  const link = page.getByRole('link', { name: purchaseId });
  await link.waitFor();
  const small = await page
    .locator('main :is(a, button):visible')
    .evaluateAll((elements) =>
      elements.flatMap((element) => (element.getBoundingClientRect().height < 24 ? element.outerHTML : [])),
    );
  expect(small).toEqual([]);
  expect(await page.locator('tbody [data-copy]:visible').count()).toBe(0);
  await link.focus();
  expect(await page.locator('tbody [data-copy]:visible').count()).toBe(1);
  expect(failures).toEqual([]);
});
