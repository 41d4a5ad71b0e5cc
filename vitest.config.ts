import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

/**
 * Tests that run in Node. Those in a browser (tests/browser, tests/e2e) belong to Playwright. `npx vitest --project unit`
 * takes seconds; `learning` trains whole teams and takes minutes.
 */
export default defineConfig({
  test: {
    maxConcurrency: 2,
    projects: [
      {
        plugins: [svelte()],
        test: {
          name: 'unit',
          include: ['tests/unit/**/*.test.ts', 'tests/reference/**/*.test.ts'],
          environment: 'node',
          testTimeout: 60_000,
          hookTimeout: 60_000,
        },
      },
      {
        test: {
          name: 'learning',
          include: ['tests/learning/**/*.test.ts'],
          environment: 'node',
          // Each run has the processor to itself, so that its time and memory are its own.
          fileParallelism: false,
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
