/**
 * Metrics as TensorBoard reads them: records of TensorFlow's event protocol (tensorflow/core/util/event.proto and
 * framework/summary.proto, of which scalars need a handful of fields), framed as TFRecord.
 */
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { MetricRow } from '../marft/records.ts';

/** Field numbers of Event, Summary and Summary.Value. */
const EVENT = { wallTime: 1, step: 2, fileVersion: 3, summary: 5 } as const;
const SUMMARY_VALUE = 1;
const VALUE = { tag: 1, simpleValue: 2 } as const;

/** The name that TensorBoard recognises event files by. */
export const EVENTS_FILE = 'events.out.tfevents.0.marft';

/** The whole event file: a scalar a metric, the iteration as its step, and as its time the seconds since the run began. */
export function tensorboardEvents(rows: readonly MetricRow[]): Uint8Array {
  let seconds = 0;
  const events = rows.map((row) => {
    seconds += row['time/iteration_s'] ?? 0;
    const summary = new BinaryWriter();
    for (const [name, value] of Object.entries(row)) {
      if (name === 'iteration') continue;
      const scalar = new BinaryWriter().tag(VALUE.tag, WireType.LengthDelimited).string(name).tag(VALUE.simpleValue, WireType.Bit32).float(value);
      summary.tag(SUMMARY_VALUE, WireType.LengthDelimited).bytes(scalar.finish());
    }
    return event(seconds).tag(EVENT.step, WireType.Varint).int64(row.iteration).tag(EVENT.summary, WireType.LengthDelimited).bytes(summary.finish());
  });
  const version = event(0).tag(EVENT.fileVersion, WireType.LengthDelimited).string('brain.Event:2');
  const records = [version, ...events].map((one) => tfRecord(one.finish()));
  const whole = new Uint8Array(records.reduce((sum, { length }) => sum + length, 0));
  let offset = 0;
  for (const record of records) {
    whole.set(record, offset);
    offset += record.length;
  }
  return whole;
}

function event(seconds: number): BinaryWriter {
  return new BinaryWriter().tag(EVENT.wallTime, WireType.Bit64).double(seconds);
}

/** uint64 length, its masked CRC, the data, its masked CRC; all little-endian. */
export function tfRecord(data: Uint8Array): Uint8Array {
  const record = new Uint8Array(data.length + 16);
  const view = new DataView(record.buffer);
  view.setBigUint64(0, BigInt(data.length), true);
  view.setUint32(8, masked(crc32c(record.subarray(0, 8))), true);
  record.set(data, 12);
  view.setUint32(12 + data.length, masked(crc32c(data)), true);
  return record;
}

/** CRC-32C (Castagnoli), reflected polynomial 0x82f63b78. */
export function crc32c(data: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of data) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0);
  return (crc ^ 0xffffffff) >>> 0;
}

const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  return crc;
});

/** TFRecord masks its checksums, since records may hold checksums themselves. */
function masked(crc: number): number {
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0;
}
