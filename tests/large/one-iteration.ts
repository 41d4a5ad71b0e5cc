/**
 * The process that `main.ts` measures: loads the model of the Hub in miniature as the command line does, plays and learns one iteration, and
 * writes what it took as JSON.
 *
 *   node --import tsx tests/large/one-iteration.ts ENDPOINT REPOSITORY CACHE
 */
import { folderStorage } from '../../src/checkpoint/folder-storage.ts';
import { openCachedHub } from '../../src/checkpoint/hub-cache.ts';
import { parseHubId } from '../../src/checkpoint/hub-id.ts';
import { openBackend } from '../../src/cli/backend.ts';
import { megabytes } from '../../src/engine/planner.ts';
import { applyOverrides } from '../../src/experiment/overrides.ts';
import { presetByName } from '../../src/experiment/presets.ts';
import { openSession } from '../../src/experiment/session.ts';
import { MEMORY_LIMIT, type Measured } from './measured.ts';

const CHANGES = [
  'schedule.episodes=8',
  'schedule.evalEvery=0',
  'schedule.iterations=1',
  'team.agents.0.maxNewTokens=64',
  'team.agents.1.maxNewTokens=64',
  'team.agents.0.profile="Add."',
  'team.agents.1.profile="Answer."',
  // What a random model says earns nothing, and where all earn the same nobody is updated: these two give something to learn.
  'algorithm.klRewardCoef=0.01',
  'algorithm.entropyCoef=0.01',
];

const [endpoint, repository = '', cache = ''] = process.argv.slice(2);
const experiment = applyOverrides(presetByName('duo-addition'), CHANGES);
const lengths: number[] = [];
const { source } = await openCachedHub(parseHubId(repository), { endpoint }, folderStorage(cache));
const session = await openSession(experiment, { ...(await openBackend('cpu')), source, memoryLimit: MEMORY_LIMIT }, (event) => {
  if (event.type === 'loading') note(event.message);
  if (event.type === 'stage') note(`${event.stage} ${event.agent ?? ''}`);
  if (event.type === 'iteration') lengths.push(...event.episodes.flatMap(({ utterances }) => utterances.map(({ tokens }) => tokens.length)));
});
const loadingSeconds = performance.now() / 1000;
const metrics = await session.trainer.step();
const measured: Measured = { plan: session.memory, metrics, lengths, loadingSeconds, peakBytes: peak() };
process.stdout.write(`${JSON.stringify(measured)}\n`);
session.dispose();

function note(what: string): void {
  process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(5)} s  at most ${megabytes(peak()).padStart(7)} MB  ${what}\n`);
}

/** Resident bytes at the moment when they were most, as the system counted them. */
function peak(): number {
  return process.resourceUsage().maxRSS * 1024;
}
