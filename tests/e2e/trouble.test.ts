import { expect, test } from './playground.ts';

test.describe('a model file that is missing', () => {
  test.use({ expectedErrors: /404 \(Not Found\)|tokenizer\.json/ });

  test('is told in a sentence, and the page stays usable', async ({ playground, page }) => {
    const file = '**/models/**/tokenizer.json';
    await page.context().route(file, (route) => route.fulfill({ status: 404, body: '' }));
    await playground.open();
    await playground.preset.selectOption('micro-addition');
    await playground.train.click();
    await expect(playground.trouble).toContainText('There is no tokenizer.json');
    await expect(playground.trouble).toContainText('Reload the page');
    await expect(playground.trouble).not.toContainText(/Error|undefined|\.js:\d+/);

    await page.context().unroute(file);
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    await expect(playground.trouble).toBeHidden();
  });
});

test.describe('a reset that cannot load the model', () => {
  test.use({ expectedErrors: /404 \(Not Found\)|tokenizer\.json/ });

  test('leaves the run on the page, and Train starts over', async ({ playground, page }) => {
    await playground.open();
    await playground.preset.selectOption('micro-addition');
    await playground.oneIteration.click();
    await expect(playground.status).toHaveText(/^Paused/);

    const file = '**/models/**/tokenizer.json';
    await page.context().route(file, (route) => route.fulfill({ status: 404, body: '' }));
    await playground.reset.click();
    await expect(playground.trouble).toContainText('There is no tokenizer.json');
    await expect(playground.status).toHaveText('Stopped; Train starts over');
    await expect(playground.iteration).toHaveText('1');
    await expect(playground.train).toHaveText('Train');

    await page.context().unroute(file);
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
    await expect(playground.trouble).toBeHidden();
  });
});

test.describe('a worker that dies', () => {
  test.use({ expectedErrors: /out of memory/ });

  test('is told in a sentence; the run stays on the page and can be started again', async ({ playground, page }) => {
    await playground.open();
    await playground.preset.selectOption('micro-addition');
    await playground.oneIteration.click();
    await expect(playground.iteration).toHaveText('1');

    await page.workers()[0]?.evaluate(() => {
      setTimeout(() => {
        throw new Error('out of memory');
      });
    });
    await expect(playground.trouble).toContainText('The training worker stopped unexpectedly');
    await expect(playground.iteration).toHaveText('1');
    await expect(page.getByTestId('episode')).toBeVisible();
    await expect(playground.train).toBeDisabled();

    await page.getByRole('button', { name: 'Restart the worker' }).click();
    await expect(playground.trouble).toBeHidden();
    await playground.train.click();
    await expect(playground.status).toHaveText('Finished');
  });
});

test('WebGPU asked for by name where there is none: a sentence with what to do', async ({ playground }) => {
  await playground.open('./?backend=webgpu');
  await expect(playground.trouble).toContainText('No GPU adapter was found');
  await expect(playground.trouble).toContainText('turn on hardware acceleration');
  await expect(playground.trouble).toContainText('out of the address');
  await expect(playground.trouble).not.toContainText('so the model runs');
});
