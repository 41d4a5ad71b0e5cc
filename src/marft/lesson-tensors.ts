/** The window of transcripts that a critic keeps fitting on, as tensors. */
import { concat, splitLike } from './arrays.ts';
import { refuseState, saved, vectors, type StateTensors } from './state-tensors.ts';
import type { CriticLesson } from './update-critic.ts';

/** Ids, positions and returns of all lessons end to end, with how many of each belong together. */
export function lessonTensors(lessons: readonly CriticLesson[]): StateTensors {
  const sequences = lessons.flatMap((lesson) => lesson.sequences);
  return vectors({
    sequences: Int32Array.from(lessons, (lesson) => lesson.sequences.length),
    lengths: Int32Array.from(sequences, ({ ids }) => ids.length),
    positions: Int32Array.from(sequences, ({ positions }) => positions.length),
    ids: Int32Array.from(sequences.flatMap(({ ids }) => [...ids])),
    places: Int32Array.from(sequences.flatMap(({ positions }) => [...positions])),
    returns: concat(lessons.flatMap(({ returns }) => returns)),
  });
}

/** The lessons that `lessonTensors` was given. Throws `state-mismatch` when the tensors contradict each other. */
export function lessonsFrom(tensors: StateTensors): CriticLesson[] {
  const counts = saved(tensors, 'sequences', Int32Array);
  const total = sum(counts);
  const lengths = saved(tensors, 'lengths', Int32Array, total);
  const valued = saved(tensors, 'positions', Int32Array, total);
  const ids = pieces(saved(tensors, 'ids', Int32Array, sum(lengths)), lengths);
  const places = pieces(saved(tensors, 'places', Int32Array, sum(valued)), valued);
  const returns = splitLike(saved(tensors, 'returns', Float32Array, sum(valued)), places);
  let start = 0;
  return [...counts].map((count) => {
    const end = start + count;
    const sequences = ids.slice(start, end).map((own, k) => ({ ids: own, positions: places[start + k] ?? new Int32Array(0) }));
    const lesson = { sequences, returns: returns.slice(start, end) };
    start = end;
    return lesson;
  });
}

function pieces(all: Int32Array, lengths: Int32Array): Int32Array[] {
  let start = 0;
  return [...lengths].map((length) => all.slice(start, (start += length)));
}

function sum(counts: Int32Array): number {
  if (counts.some((count) => count < 0)) refuseState('The saved window of the critic holds less than nothing.');
  return counts.reduce((total, count) => total + count, 0);
}
