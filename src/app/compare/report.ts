/** The comparison as one HTML file that needs nothing else: no script, no request, drawings inside. */
import type { Comparison, Group, Quantity } from '../../experiment/compare-runs.ts';
import { curveChart, PRINT_COLOURS } from './curve-chart.ts';
import { escapeText, svgText } from './svg.ts';
import { intervalText, pairText, QUANTITIES, quantityTitle, runsText, settingText, verdict } from './tables.ts';

export interface Report {
  result: Comparison;
  groups: readonly Group[];
  settings: readonly { path: string; values: readonly unknown[] }[];
  reference: number;
  /** ISO 8601. */
  made: string;
}

const STYLE = `:root{color-scheme:light}body{font:16px/1.5 system-ui,sans-serif;color:#1c1b19;background:#fff;max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}svg{max-width:100%;height:auto}.wide{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}
th,td{border:1px solid #dcd9d0;padding:.3rem .6rem;text-align:left;vertical-align:top}thead th{background:#f0efea}pre{background:#f0efea;padding:.8rem;overflow-x:auto}.soft{color:#57544d}`;

export function reportHtml({ result, groups, settings, reference, made }: Report): string {
  const e = escapeText;
  const chart = svgText(curveChart({ groups: result.groups, everySeed: false, width: 960, height: 380, palette: PRINT_COLOURS, legend: true }));
  const titles = QUANTITIES.map((one) => quantityTitle(one, result));
  const against = result.groups[reference];
  const rows = result.groups.map((group, index) => [group.label, runsText(group), ...QUANTITIES.map((one) => intervalText(group[one], group.seeds.length)), pairCell(result, index, reference, 'final')]);
  const verdicts = against === undefined ? [] : result.groups.flatMap((group, index) => (index === reference ? [] : [verdict(group, against, result.pairs[index]?.[reference]?.final)]));
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>MARFT Playground: comparison</title><style>${STYLE}</style></head><body><main>
<h1>Comparison of ${groups.length} ${groups.length === 1 ? 'group' : 'groups'} of runs</h1>
<p class="soft">Made by MARFT Playground on ${e(made)}. This file holds everything and asks nobody for anything.</p>
<h2>Reward while training</h2>
<p>The line is the mean over a group’s seeds, the band its 95 % interval (percentile bootstrap over seeds); a single seed has no band.</p>
<div class="wide">${chart}</div>
<h2>What came of it</h2>
<ul>${verdicts.map((one) => `<li>${e(one)}</li>`).join('')}</ul>
<div class="wide">${table(['Group', 'Runs', ...titles, `Better than “${against?.label ?? ''}”, final`], rows)}</div>
<p class="soft">Mean and 95 % interval over seeds, 10,000 seeded resamples; collapsed runs count in every mean. “Better”: share of paired resamples (equal seeds) in which the group’s mean is higher.</p>
<h2>What differs</h2>
<div class="wide">${settings.length === 0 ? '<p>Nothing but seeds and names.</p>' : table(['Setting', ...groups.map(({ label }) => label)], settings.map(({ path, values }) => [path, ...values.map(settingText)]))}</div>
<h2>Every run</h2>
<div class="wide">${table(['Group', 'Run', 'Seed', 'Iterations', 'State'], groups.flatMap(({ label, runs }) => runs.map((run) => [label, run.name, String(run.experiment.seed), `${run.rewards.length} of ${run.experiment.schedule.iterations}`, run.failure ?? 'kept'])))}</div>
<h2>Experiments</h2>
${groups.map(({ label, runs }) => `<details><summary>${e(label)}</summary><pre>${e(JSON.stringify(runs[0]?.experiment ?? null, null, 2))}</pre></details>`).join('\n')}
</main></body></html>
`;
}

function pairCell({ pairs }: Comparison, index: number, reference: number, quantity: Quantity): string {
  return index === reference ? 'compared with' : pairText(pairs[index]?.[reference]?.[quantity]);
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const cells = (tag: string, row: readonly string[]): string => `<tr>${row.map((cell) => `<${tag}>${escapeText(cell)}</${tag}>`).join('')}</tr>`;
  return `<table><thead>${cells('th', header)}</thead><tbody>${rows.map((row) => cells('td', row)).join('')}</tbody></table>`;
}
