/** What several rounds say of a figure. */

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The median, and behind it the least and the greatest value where there are several. */
export function spread(values: readonly number[], digits = 1): string {
  const middle = median(values).toFixed(digits);
  if (values.length < 2) return middle;
  return `${middle} [${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}]`;
}

/** The median of how many times `others[i]` `values[i]` is: rounds that were played next to each other are compared. */
export function medianRatio(values: readonly number[], others: readonly number[]): number {
  return median(values.map((value, i) => value === others[i] ? 1 : value / others[i]));
}
