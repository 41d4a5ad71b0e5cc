/** A device that fails, against one that only pretends to be there: what a real one does is in tests/browser. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WatchedDevice } from '../../../src/runtime/gpu-device.ts';

class OutOfMemory {
  readonly message = 'no room';
}

beforeAll(() => {
  vi.stubGlobal('GPUBufferUsage', { STORAGE: 1, COPY_SRC: 2, COPY_DST: 4 });
  vi.stubGlobal('GPUOutOfMemoryError', OutOfMemory);
});
afterAll(() => vi.unstubAllGlobals());

/** `scope` is what the error scope of the next buffers finds. */
function pretend({ scope = null, mapping = true }: { scope?: OutOfMemory | null; mapping?: boolean } = {}) {
  let lose: (info: { message: string }) => void = () => undefined;
  let complain: (event: { error: unknown }) => void = () => undefined;
  const device = {
    lost: new Promise((resolve) => (lose = resolve)),
    limits: { maxBufferSize: 1000, maxStorageBufferBindingSize: 800 },
    addEventListener: (_: string, listener: typeof complain) => (complain = listener),
    pushErrorScope: () => undefined,
    popErrorScope: () => Promise.resolve(scope),
    createBuffer: ({ size }: { size: number }) => ({
      size,
      getMappedRange: () => {
        if (!mapping) throw new RangeError('getMappedRange failed');
        return new ArrayBuffer(size);
      },
      unmap: () => undefined,
    }),
  };
  return { watched: new WatchedDevice(device as unknown as GPUDevice), lose: (message: string) => lose({ message }), complain: () => complain({ error: new OutOfMemory() }) };
}

const forever = new Promise<never>(() => undefined);

describe('a graphics processor that is lost', () => {
  it('ends what is waited for, which has no end otherwise, and refuses all that follows', async () => {
    const { watched, lose } = pretend();
    const waiting = watched.watch(() => forever);
    lose('the driver was restarted.');
    const error = { code: 'device-lost', message: 'The graphics processor was lost: the driver was restarted.' };
    await expect(waiting).rejects.toMatchObject(error);
    await expect(watched.watch(() => Promise.resolve(1))).rejects.toMatchObject(error);
    expect(() => watched.upload(new Uint8Array(4))).toThrow(error.message);
    expect(await watched.lost).toMatchObject(error);
  });

  it('is the reason also when a call fails before the loss is told', async () => {
    const { watched, lose } = pretend();
    const failing = watched.watch(() => Promise.reject(new Error('mapAsync failed')));
    lose('');
    await expect(failing).rejects.toMatchObject({ code: 'device-lost', message: 'The graphics processor was lost.' });
  });
});

describe('a graphics processor without memory left', () => {
  it('is told once, at the next occasion, whoever asked for the memory', async () => {
    const { watched, complain } = pretend();
    await expect(watched.watch(() => Promise.resolve(complain()))).rejects.toMatchObject({ code: 'device-out-of-memory' });
    expect(await watched.watch(() => Promise.resolve(1))).toBe(1);
  });

  it('is told of an upload with its size, late from the device and at once where it cannot even be mapped', async () => {
    const { watched } = pretend({ scope: new OutOfMemory() });
    watched.upload(new Uint8Array(2_000_000));
    await Promise.resolve();
    await Promise.resolve();
    expect(() => watched.check()).toThrow('The graphics processor has no memory left for a tensor of 2.0 MB.');
    expect(() => pretend({ mapping: false }).watched.upload(new Uint8Array(4))).toThrow(/no memory left/);
  });

  it('is not what other failures are taken for', async () => {
    const { watched } = pretend();
    await expect(watched.watch(() => Promise.reject(new Error('a bad shape')))).rejects.toThrow('a bad shape');
  });
});

it('one tensor is as large as a buffer may be and be bound', () => {
  expect(pretend().watched.tensorBytes).toBe(800);
});
