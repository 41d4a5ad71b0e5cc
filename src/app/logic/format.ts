/** Numbers and durations as people read them. */

/** A number with `digits` decimals and a real minus sign; an en dash when there is none. */
export function formatNumber(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return '–';
  const text = value.toFixed(digits);
  const isZero = Number(text) === 0;
  return (isZero ? text.replace('-', '') : text).replace('-', '−');
}

/** A signed number: `+0.25`, `−0.10`, `0.00`. */
export function formatSigned(value: number, digits = 3): string {
  const text = formatNumber(value, digits);
  return Number(value.toFixed(digits)) > 0 ? `+${text}` : text;
}

/** A share in percent: `0.284` is `28 %`. */
export function formatPercent(share: number | null | undefined, digits = 0): string {
  return share === null || share === undefined ? '–' : `${formatNumber(share * 100, digits)} %`;
}

/** Seconds as `8 s`, `1 min 20 s` or `2 h 5 min`. */
export function formatDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

/** Bytes as `1.3 MB` or `2.46 GB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1e3) return `${bytes} B`;
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(2)} GB`;
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(0)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** A count with its noun: `1 token`, `12 tokens`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
