/** Two words that are easier to remember than a number. */
import { hashKey } from '../random/random.ts';

const QUALITIES =
  'amber bold brave breezy bright brisk calm candid clear clever coral cosy crisp curious dapper daring deep eager early fair fleet fond free fresh gentle glad golden grand hardy hazel honest humble jolly keen kind light lively lucky mellow merry mild mossy neat nimble noble olive patient plain polite proud quick quiet rapid ready rosy rustic serene sharp silver sleek smooth steady sunny swift tidy velvet vivid warm wise'.split(' ');
const THINGS =
  'acorn anchor apple badger beacon birch bridge brook cedar cherry clover comet compass cricket dolphin dune falcon fern finch fjord garden gecko glacier harbour hazelnut heron hill island ivy juniper kestrel lagoon lantern lark lemon lighthouse lynx maple marble meadow meteor moon mountain nutmeg oak orchard otter owl pebble pine planet plum pond prairie quartz rabbit rainbow reef river robin sparrow spring starling stone sunrise swan thistle tulip valley willow wren'.split(' ');

/** The name of the run with that id: always the same one. */
export function runName(id: string): string {
  const key = Array.from(id, (letter) => letter.charCodeAt(0));
  const pick = (words: readonly string[], which: number): string => words[hashKey(which, ...key) % words.length] ?? '';
  return `${pick(QUALITIES, 1)} ${pick(THINGS, 2)}`;
}

/** An id that no other run has: when it began, for the eye, and chance. */
export function newRunId(now = Date.now()): string {
  const chance = crypto.getRandomValues(new Uint32Array(2));
  return `${now.toString(36)}-${Array.from(chance, (one) => one.toString(36).padStart(7, '0')).join('')}`;
}
