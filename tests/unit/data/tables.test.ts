import fc from 'fast-check';
import { parquetMetadata } from 'hyparquet';
import { describe, expect, it } from 'vitest';
import { jsonFaultLine } from '../../../src/data/json-fault.ts';
import { refuseTooLarge } from '../../../src/data/parquet-table.ts';
import { openTable } from '../../../src/data/table.ts';
import { PlaygroundError } from '../../../src/runtime/errors.ts';
import { bytesOf, parquet } from './data-server.ts';

const fileOf = (name: string, content: string | Uint8Array) => {
  const bytes = typeof content === 'string' ? bytesOf(content) : content;
  return { name, bytes: bytes.length, read: (start: number, end: number) => Promise.resolve(bytes.subarray(start, end)) };
};

async function read(name: string, content: string | Uint8Array): Promise<{ columns: readonly string[]; total: number; rows: unknown }> {
  const table = await openTable(fileOf(name, content));
  return { columns: table.columns, total: table.total, rows: await table.rows(table.columns, 100) };
}

async function complaint(name: string, content: string | Uint8Array): Promise<string> {
  try {
    await read(name, content);
    return 'none';
  } catch (error) {
    if (error instanceof PlaygroundError) return error.message;
    throw error;
  }
}

describe('tables', () => {
  it('read the same from every format', async () => {
    const expected = { columns: ['question', 'answer'], total: 2, rows: [{ question: 'a, "b"', answer: '1' }, { question: 'ü\nv', answer: '2' }] };
    expect(await read('x.csv', 'question,answer\n"a, ""b""",1\n"ü\nv",2\n')).toEqual(expected);
    expect(await read('x.tsv', 'question\tanswer\r\n"a, ""b"""\t1\r\n"ü\nv"\t2\r\n\r\n')).toEqual(expected);
    expect(await read('X.JSONL', '\ufeff{"question":"a, \\"b\\"","answer":1}\r\n\r\n{"question":"ü\\nv","answer":"2"}')).toEqual(expected);
    expect(await read('x.json', '{"version":1,"data":[{"question":"a, \\"b\\"","answer":1},{"question":"ü\\nv","answer":2}]}')).toEqual(expected);
    expect(await read('x.parquet', parquet({ question: ['a, "b"', 'ü\nv'], answer: [1n, 2n] }))).toEqual(expected);
  });

  it('hold cells of any kind as text, and what a row lacks as nothing', async () => {
    const { rows } = await read('x.jsonl', '{"a":[1,{"b":null}],"__proto__":"kept"}\n{"c":true}');
    expect(rows).toEqual([JSON.parse('{"a":"[1,{\\"b\\":null}]","__proto__":"kept","c":""}'), JSON.parse('{"a":"","__proto__":"","c":"true"}')]);
  });

  it('in one column, with a semicolon, and in UTF-16', async () => {
    expect(await read('x.csv', 'word\none\ntwo')).toMatchObject({ columns: ['word'], total: 2 });
    expect(await read('x.csv', 'a;b\n1,5;2\n')).toMatchObject({ rows: [{ a: '1,5', b: '2' }] });
    const utf16 = new Uint8Array([0xff, 0xfe, ...new Uint8Array(new Uint16Array([...'a,b\n1,2'].map((letter) => letter.charCodeAt(0))).buffer)]);
    expect(await read('x.csv', utf16)).toMatchObject({ rows: [{ a: '1', b: '2' }] });
  });

  it('say in which line they are broken', async () => {
    expect(await complaint('x.jsonl', '{"a":1}\n\n{"a":')).toMatch(/^Line 3 of x\.jsonl is not JSON: /);
    expect(await complaint('x.jsonl', '{"a":1}\n[1]')).toBe('Line 2 of x.jsonl is not a JSON object.');
    expect(await complaint('x.json', '[\n{"a":1},\n{"a":}\n]')).toMatch(/^x\.json is not JSON, at line 3: /);
    expect(await complaint('x.json', '[{"a":1}, 7]')).toBe('Row 2 of x.json is not a JSON object.');
    expect(await complaint('x.json', '{"a":1}')).toBe('x.json holds no list of rows.');
    expect(await complaint('x.csv', 'a,b\n"1\n2",3\n4\n')).toBe('Line 4 of x.csv has one field where the first line names 2.');
    expect(await complaint('x.csv', 'a,b\n1,2\n3,"4\n5,6')).toMatch(/^Line \d of x\.csv: /);
    expect(await complaint('x.csv', 'a,a\n1,2')).toBe('Line 1 of x.csv has two columns named "a".');
    expect(await complaint('x.csv', '\n')).toBe('The first line of x.csv names no columns.');
  });

  it('refuse what is none', async () => {
    expect(await complaint('x.docx', 'hello')).toBe('x.docx is no table that can be read here.');
    expect(await complaint('x.jsonl', '')).toBe('x.jsonl is empty.');
    expect(await complaint('x.jsonl', '\n\n')).toBe('x.jsonl has no rows.');
    expect(await complaint('x.csv', new Uint8Array([0x61, 0xff, 0x0a]))).toBe('x.csv is not written in UTF-8.');
    const whole = parquet({ a: ['b'] });
    expect(await complaint('x.parquet', whole.subarray(0, whole.length - 20))).toMatch(/^x\.parquet is not a whole Parquet file: /);
  });

  it('of Parquet refuse what would fill the memory, before it is unpacked', () => {
    const content = parquet({ a: ['b'] });
    const metadata = parquetMetadata(content.buffer.slice(content.byteOffset, content.byteOffset + content.length) as ArrayBuffer);
    for (const { columns } of metadata.row_groups) for (const column of columns) if (column.meta_data) column.meta_data.total_uncompressed_size = 2_000_000_000n;
    expect(() => refuseTooLarge('x.parquet', metadata, ['a'], 10)).toThrow('The wanted columns of x.parquet have 2000 MB.');
    expect(() => refuseTooLarge('x.parquet', metadata, ['b'], 10)).not.toThrow();
  });
});

describe('the place where a text stops being JSON', () => {
  it('is found in every text that the engine refuses, and in none that it takes', () => {
    const texts = fc.oneof(
      fc.json(),
      fc.tuple(fc.json(), fc.nat(), fc.constantFrom('', '"', '}', ']', ',', ':', '\\', 'x', '01', '\n')).map(([text, at, change]) => text.slice(0, at % (text.length + 1)) + change + text.slice((at % (text.length + 1)) + 1)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(jsonFaultLine(text) === null).toBe(valid);
      }),
      { numRuns: 2000 },
    );
    expect(jsonFaultLine('{\n"a": "b\n"}')).toBe(2);
    expect(jsonFaultLine('[1,\n2')).toBe(2);
  });
});
