import type { Flags } from "./flags.ts";

/** The flags about exported metrics. */
export interface MetricsOptions {
  /** Names of disabled metrics. */
  readonly disabled: ReadonlySet<string>;
  /** Allowed values by `metric,label`. */
  readonly allowedLabels: ReadonlyMap<string, ReadonlySet<string>>;
  /** A file with more allowed values; empty for none. */
  readonly manifest: string;
}

/** Reads the metrics flags. */
export function metricsOptions(flags: Flags): MetricsOptions {
  return {
    disabled: new Set(flags.strings("disabled-metrics")),
    allowedLabels: allowedLabels(flags.pairs("allow-metric-labels")),
    manifest: flags.string("allow-metric-labels-manifest"),
  };
}

/** The values of `metric,label`, with or without quotes around them. */
function allowedLabels(pairs: ReadonlyMap<string, string>): ReadonlyMap<string, ReadonlySet<string>> {
  const unquoted = (values: string) => values.replace(/^['"]|['"]$/g, "").split(",");
  return new Map([...pairs].map(([key, values]) => [key, new Set(unquoted(values))] as const));
}
