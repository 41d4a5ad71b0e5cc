import { describe, expect, it } from 'vitest';
import { modelRepositoryFiles } from '../../../src/checkpoint/model-repository-writer.ts';
import { openRepository, openWeights, readConfig, readTextFiles } from '../../../src/checkpoint/repository.ts';
import { writeSafetensors } from '../../../src/checkpoint/safetensors.ts';
import type { FileSource } from '../../../src/checkpoint/source.ts';
import { memorySource, rawSafetensors, refusal } from './files.ts';

const texts = { 'config.json': '{"model_type":"qwen2"}', 'tokenizer.json': '{"t":1}', 'tokenizer_config.json': '{"c":1}' };
const a = { dims: [2], data: Float32Array.of(1, 2) };
const b = { dims: [1, 1], data: Float32Array.of(3) };
const index = (map: unknown) => JSON.stringify({ metadata: {}, weight_map: map });

describe('a model repository', () => {
  it('that was written here reads back the same', async () => {
    const content = {
      config: { model_type: 'qwen2' },
      generationConfig: { eos_token_id: 1 },
      tokenizer: { model: {} },
      tokenizerConfig: { chat_template: '{{ x }}' },
      tensors: new Map([['a', a], ['b', b]]),
      readme: '# A model\n',
    };
    const files = Object.fromEntries(modelRepositoryFiles(content));
    expect(files['README.md']).toBe('# A model\n');
    const repository = await openRepository(memorySource(files));
    expect(repository).toMatchObject({
      config: content.config,
      generationConfig: content.generationConfig,
      tokenizer: content.tokenizer,
      tokenizerConfig: content.tokenizerConfig,
      tensorNames: ['a', 'b'],
    });
    expect(await repository.readTensor('a')).toEqual(a);
    expect(await repository.readTensor('b')).toEqual(b);
  });

  it('is opened by its headers alone and then read tensor by tensor', async () => {
    const asked: string[] = [];
    const weights = writeSafetensors(new Map([['a', a], ['b', b]]));
    const repository = await openRepository(memorySource({ ...texts, 'model.safetensors': weights }, asked));
    const data = weights.length - 12;
    expect(asked.filter((read) => read.startsWith('model'))).toEqual(['model.safetensors 0-8', `model.safetensors 8-${data}`]);
    await repository.readTensor('b');
    expect(asked.at(-1)).toBe(`model.safetensors ${data + 8}-${data + 12}`);
  });

  it('may come in shards', async () => {
    const repository = await openRepository(
      memorySource({
        ...texts,
        'model.safetensors.index.json': index({ a: 'x-1.safetensors', b: 'x-2.safetensors' }),
        'x-1.safetensors': writeSafetensors(new Map([['a', a], ['unlisted', b]])),
        'x-2.safetensors': writeSafetensors(new Map([['b', b]])),
      }),
    );
    expect(repository.tensorNames).toEqual(['a', 'b']);
    expect(await repository.readTensor('a')).toEqual(a);
    expect(await repository.readTensor('b')).toEqual(b);
  });

  it('can do without a generation config only', async () => {
    const files = { ...texts, 'model.safetensors': writeSafetensors(new Map([['a', a]])) };
    expect((await openRepository(memorySource(files))).generationConfig).toBeNull();
    for (const name of Object.keys(files)) {
      const rest = Object.fromEntries(Object.entries(files).filter(([file]) => file !== name));
      expect(await refusal(() => openRepository(memorySource(rest))), name).toBe('file-missing');
    }
  });

  it('may keep its chat template in a file of its own, which then counts', async () => {
    const files = { ...texts, 'model.safetensors': writeSafetensors(new Map([['a', a]])), 'chat_template.jinja': '{{ new }}' };
    const templateOf = async (change: Record<string, string>, has?: FileSource['has']) => {
      const source = memorySource({ ...files, ...change });
      return ((await openRepository(has ? { ...source, has } : source)).tokenizerConfig as { chat_template?: string }).chat_template;
    };
    const old = { 'tokenizer_config.json': '{"chat_template":"{{ old }}"}' };
    expect(await templateOf({})).toBe('{{ new }}');
    expect(await templateOf(old, () => Promise.resolve(true))).toBe('{{ new }}');
    expect(await templateOf(old, () => Promise.resolve(false))).toBe('{{ old }}');
  });

  it('is not asked for a template of its own in vain where the configuration has one', async () => {
    const asked: string[] = [];
    const files = { ...texts, 'tokenizer_config.json': '{"chat_template":"x"}', 'model.safetensors': writeSafetensors(new Map([['a', a]])) };
    await openRepository(memorySource(files, asked));
    expect(asked).not.toContain('chat_template.jinja');
  });

  it('is read in three steps, so that it can be refused before its weights are asked for', async () => {
    const asked: string[] = [];
    const source = memorySource({ ...texts, 'model.safetensors': writeSafetensors(new Map([['a', a]])) }, asked);
    await readConfig(source);
    expect(asked).toEqual(['config.json']);
    await readTextFiles(source);
    expect(asked.filter((file) => file.includes('safetensors'))).toEqual([]);
    expect((await openWeights(source)).tensorNames).toEqual(['a']);
  });

  const broken = (files: Record<string, Uint8Array | string>) => refusal(() => openRepository(memorySource({ ...texts, ...files })));

  it('is refused when a file is not what it should be', async () => {
    const shard = writeSafetensors(new Map([['a', a]]));
    expect(await broken({ 'model.safetensors': shard, 'config.json': '{' })).toBe('checkpoint-broken');
    expect(await broken({ 'model.safetensors': shard.subarray(0, 30) })).toBe('checkpoint-broken');
    expect(await broken({ 'model.safetensors': rawSafetensors('<html>') })).toBe('checkpoint-broken');
    expect(await broken({ 'model.safetensors.index.json': '{}' })).toBe('checkpoint-broken');
  });

  it('is refused when its shards are not beside it, not there, or not what the index says', async () => {
    const shards = { 'x.safetensors': writeSafetensors(new Map([['a', a]])) };
    for (const place of ['../x.safetensors', '/x.safetensors', 'https://elsewhere/x.safetensors', 'x.bin']) {
      expect(await broken({ ...shards, 'model.safetensors.index.json': index({ a: place }) }), place).toBe('checkpoint-broken');
    }
    expect(await broken({ ...shards, 'model.safetensors.index.json': index({ a: 'y.safetensors' }) })).toBe('file-missing');
    expect(await broken({ ...shards, 'model.safetensors.index.json': index({ a: 'x.safetensors', b: 'x.safetensors' }) })).toBe('checkpoint-broken');
  });

  it('says which tensor it lacks, and which is cut off', async () => {
    const weights = writeSafetensors(new Map([['a', a]]));
    const whole = await openRepository(memorySource({ ...texts, 'model.safetensors': weights }));
    await expect(whole.readTensor('z')).rejects.toMatchObject({ code: 'checkpoint-mismatch', message: 'memory has no tensor z.' });
    const cut = await openRepository(memorySource({ ...texts, 'model.safetensors': weights.subarray(0, -1) }));
    await expect(cut.readTensor('a')).rejects.toMatchObject({ code: 'checkpoint-broken', message: 'model.safetensors ends inside a.' });
  });
});
