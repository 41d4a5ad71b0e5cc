/** LiveCodeBench keeps its hidden tests as base64 of zlib of a pickled text. A pickle is a program, so nothing but a text is taken from it. */
import { unzlibSync } from 'fflate';

const PROTO = 0x80;
const FRAME = 0x95;
const SHORT_BINUNICODE = 0x8c;
const BINUNICODE = 0x58;
const BINUNICODE8 = 0x8d;
const MEMOIZE = 0x94;
const BINPUT = 0x71;
const STOP = 0x2e;

/** Bytes that the tests of one problem may have, unpacked. */
const MAX_BYTES = 64 * 1024 * 1024;

/** The text in it; null where it is anything else. */
export function pickledText(base64: string): string | null {
  try {
    const packed = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    // Given the room to unpack into, fflate takes no more.
    return textIn(unzlibSync(packed, { out: new Uint8Array(Math.min(MAX_BYTES, packed.length * 1100)) }));
  } catch {
    return null;
  }
}

function textIn(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text: string | null = null;
  for (let at = 0; at < bytes.length; ) {
    const code = view.getUint8(at);
    at += 1;
    let length: number;
    switch (code) {
      case PROTO:
      case BINPUT:
        at += 1;
        continue;
      case FRAME:
        at += 8;
        continue;
      case MEMOIZE:
        continue;
      case STOP:
        return text;
      case SHORT_BINUNICODE:
        length = view.getUint8(at);
        at += 1;
        break;
      case BINUNICODE:
        length = view.getUint32(at, true);
        at += 4;
        break;
      case BINUNICODE8:
        length = Number(view.getBigUint64(at, true));
        at += 8;
        break;
      default:
        return null;
    }
    if (text !== null || at + length > bytes.length) return null;
    text = new TextDecoder().decode(bytes.subarray(at, at + length));
    at += length;
  }
  return null;
}
