/** What {@link compareRounds} found. */
export interface Comparison {
  /** How much dearer the second is than the first, as a share of the second: the median of all quads, and where it lies. */
  readonly share: number;
  /** With 95 % certainty the true median is not below and not above. */
  readonly interval: readonly [number, number];
  readonly quads: number;
  /** The median cost of a round of each. */
  readonly first: number;
  readonly second: number;
}

/** How long {@link compareRounds} goes on. */
export interface ComparisonLimits {
  readonly leastQuads: number;
  readonly mostQuads: number;
  /** It ends when the interval is at most this wide. */
  readonly width: number;
  /** Hears the share that each quad gave. */
  readonly onQuad?: (share: number) => void;
}

/**
 * Compares what rounds of two kinds cost, on a machine that does other things as well.
 *
 * Rounds come in quads, first second second first, so that what changes slowly meets both alike; each quad gives one ratio, and a
 * round that was disturbed spoils one ratio only, which the median does not mind.
 */
export async function compareRounds(
  rounds: { readonly first: () => Promise<number>; readonly second: () => Promise<number> },
  { leastQuads, mostQuads, width, onQuad }: ComparisonLimits,
): Promise<Comparison> {
  const first: number[] = [];
  const second: number[] = [];
  const shares: number[] = [];
  for (;;) {
    const a = await rounds.first();
    const b = await rounds.second() + await rounds.second();
    const c = await rounds.first();
    shares.push((b - a - c) / b);
    onQuad?.(shares.at(-1)!);
    first.push((a + c) / 2);
    second.push(b / 2);
    const interval = medianInterval(shares);
    const isNarrow = shares.length >= leastQuads && interval[1] - interval[0] <= width;
    if (!isNarrow && shares.length < mostQuads) continue;
    return { share: median(shares), interval, quads: shares.length, first: median(first), second: median(second) };
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The 95 % confidence interval of the median by ranks, which assumes nothing of how the values are distributed. */
function medianInterval(values: readonly number[]): readonly [number, number] {
  const sorted = values.toSorted((a, b) => a - b);
  const half = 1.96 * Math.sqrt(sorted.length) / 2;
  const low = Math.max(0, Math.floor(sorted.length / 2 - half) - 1);
  const high = Math.min(sorted.length - 1, Math.ceil(sorted.length / 2 + half));
  return [sorted[low], sorted[high]];
}
