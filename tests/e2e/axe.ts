import type { Page } from '@playwright/test';
import type { AxeResults } from 'axe-core';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

/** What axe finds, in short lines. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated through the debugger, which the page's policy does not bind.
  await page.evaluate(await readFile(AXE, 'utf8'));
  const results = await page.evaluate<AxeResults>('axe.run()');
  return results.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
