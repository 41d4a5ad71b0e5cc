/** A WebGPU device under watch: its buffers, and the errors that it tells late and not to whoever caused them. */
import { outOfMemory } from './device-errors.ts';
import { PlaygroundError } from './errors.ts';

export class WatchedDevice {
  /** Resolves, with the error that every later call throws, when the device is gone. */
  readonly lost: Promise<PlaygroundError>;
  #gone: PlaygroundError | null = null;
  /** What failed and nobody has been told yet. */
  #trouble: PlaygroundError | null = null;
  /** Those who wait for work to end, to be told that it never will. */
  readonly #waiting = new Set<(error: PlaygroundError) => void>();

  constructor(readonly device: GPUDevice) {
    this.lost = device.lost.then(({ message }) => {
      this.#gone = new PlaygroundError(
        'device-lost',
        `The graphics processor was lost${message === '' ? '' : `: ${message.replace(/\.$/, '')}`}.`,
        'Another program may have needed its memory, or its driver was restarted. Start again from the last checkpoint, with fewer episodes if it happens again, or add ?backend=wasm to the address.',
      );
      for (const refuse of this.#waiting) refuse(this.#gone);
      return this.#gone;
    });
    // What ONNX Runtime asks of the device fails here; what is asked below has its own scope.
    device.addEventListener('uncapturederror', ({ error }) => {
      if (error instanceof GPUOutOfMemoryError) this.#trouble ??= outOfMemory('The graphics processor', 'to compute with', error);
    });
  }

  /** Bytes that one tensor may have. */
  get tensorBytes(): number {
    const { maxBufferSize, maxStorageBufferBindingSize } = this.device.limits;
    return Math.min(maxBufferSize, maxStorageBufferBindingSize);
  }

  /** Throws a PlaygroundError (`device-lost`, `device-out-of-memory`) for what has failed since it was last called. */
  check(): void {
    if (this.#gone) throw this.#gone;
    const trouble = this.#trouble;
    this.#trouble = null;
    if (trouble) throw trouble;
  }

  /** The result, once nothing the device did for it has failed. A lost device ends the wait, which might have no end otherwise. */
  async watch<T>(work: () => Promise<T>): Promise<T> {
    this.check();
    try {
      const result = await this.#untilLost(work());
      this.check();
      return result;
    } catch (error) {
      // A call that fails with the device may be heard of before the device's own word.
      await Promise.race([this.lost, nextTask()]);
      this.check();
      throw error;
    }
  }

  /** A buffer with that content. A failure is told by `check`, some time later: the device itself only knows then. */
  upload(content: Uint8Array): GPUBuffer {
    this.check();
    const size = Math.max(16, Math.ceil(content.length / 4) * 4);
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    this.device.pushErrorScope('out-of-memory');
    try {
      const buffer = this.device.createBuffer({ size, usage, mappedAtCreation: true });
      new Uint8Array(buffer.getMappedRange()).set(content);
      buffer.unmap();
      return buffer;
    } catch (cause) {
      // Memory to map the buffer is missing on this side already.
      if (cause instanceof RangeError) throw outOfMemory('The graphics processor', `for a tensor of ${megabytes(content.length)} MB`, cause);
      throw cause;
    } finally {
      this.device.popErrorScope().then(
        (error) => {
          if (error) this.#trouble ??= outOfMemory('The graphics processor', `for a tensor of ${megabytes(content.length)} MB`, error);
        },
        // The scope of a lost device cannot be popped; `lost` tells of that.
        () => undefined,
      );
    }
  }

  /** The first `bytes` of a buffer, through a staging buffer that can be mapped. */
  async download(buffer: GPUBuffer, bytes: number): Promise<ArrayBuffer> {
    const size = Math.ceil(bytes / 4) * 4;
    const staging = this.device.createBuffer({ size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
    try {
      const encoder = this.device.createCommandEncoder();
      encoder.copyBufferToBuffer(buffer, 0, staging, 0, size);
      this.device.queue.submit([encoder.finish()]);
      await staging.mapAsync(GPUMapMode.READ);
      return staging.getMappedRange().slice(0, bytes);
    } finally {
      staging.destroy();
    }
  }

  #untilLost<T>(work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      const settle = (end: () => void): void => {
        this.#waiting.delete(reject);
        end();
      };
      work.then((result) => settle(() => resolve(result)), (error: unknown) => settle(() => reject(error)));
    });
  }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function megabytes(bytes: number): string {
  return (bytes / 1e6).toFixed(1);
}
