import { formatNumber } from "./metrics.ts";

/** One line of Prometheus text. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A metric with its samples, of which a histogram has several names. */
export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: readonly Sample[];
}

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"(?:,|$)/y;

/**
 * Reads Prometheus text format 0.0.4 as {@link MetricsRegistry.render} writes it.
 *
 * @throws {SyntaxError} Quotes the malformed line.
 *
 * @example
 * ```ts
 * import { parseMetrics } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const [family] = parseMetrics('# HELP a_total What.\n# TYPE a_total counter\na_total{b="c"} 2\n');
 * assertEquals(family.samples, [{ name: "a_total", labels: { b: "c" }, value: 2 }]);
 * ```
 */
export function parseMetrics(text: string): MetricFamily[] {
  const families: (MetricFamily & { readonly samples: Sample[] })[] = [];
  let help: readonly [name: string, text: string] = ["", ""];
  for (const line of text.split("\n")) {
    const [, comment, name, rest] = /^# (HELP|TYPE) (\S+) ?(.*)$/s.exec(line) ?? [];
    if (comment === "HELP") help = [name, rest];
    else if (comment === "TYPE") {
      families.push({ name, help: help[0] === name ? help[1] : "", type: rest, samples: [] });
    } else if (line !== "" && !line.startsWith("#")) {
      const sample = sampleOf(line);
      const family = families.at(-1);
      if (!family || !sample.name.startsWith(family.name)) {
        throw new SyntaxError(`Cannot read metrics: line ${JSON.stringify(line)} belongs to no metric`);
      }
      family.samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample {
  const refuse = () => new SyntaxError(`Cannot read metrics: line ${JSON.stringify(line)} is not a sample`);
  const [, name, labelText = "", valueText] = SAMPLE.exec(line) ?? [];
  if (name === undefined) throw refuse();
  const labels: Record<string, string> = {};
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labelText.length) {
    const at = LABEL.lastIndex;
    const match = LABEL.exec(labelText);
    if (!match || match.index !== at) throw refuse();
    labels[match[1]] = match[2].replace(/\\(.)/g, (_, c) => c === "n" ? "\n" : c);
  }
  const value = valueText === "+Inf" ? Infinity : valueText === "-Inf" ? -Infinity : Number(valueText);
  if (Number.isNaN(value) && valueText !== "NaN") throw refuse();
  return { name, labels, value };
}

/** Changes to exported metrics. */
export interface MetricsView {
  /** Names of metrics that are left out. */
  readonly disabled?: ReadonlySet<string>;
  /** Allowed values by `metric,label`; others become `unexpected`. */
  readonly allowedLabels?: ReadonlyMap<string, ReadonlySet<string>>;
}

/**
 * Joins the metrics of several threads: series of the same name and labels are added up.
 *
 * @returns Prometheus text, metrics sorted by name; those without series are left out, as in Prometheus' own library.
 */
export function mergeMetrics(
  texts: readonly string[],
  { disabled = new Set(), allowedLabels = new Map() }: MetricsView = {},
): string {
  const merged = new Map<string, { readonly family: MetricFamily; readonly values: Map<string, number> }>();
  for (const family of texts.flatMap((text) => parseMetrics(text))) {
    if (disabled.has(family.name) || family.samples.length === 0) continue;
    let entry = merged.get(family.name);
    if (!entry) merged.set(family.name, entry = { family, values: new Map() });
    for (const sample of family.samples) {
      const series = seriesText(sample, family.name, allowedLabels);
      entry.values.set(series, (entry.values.get(series) ?? 0) + sample.value);
    }
  }
  const lines: string[] = [];
  for (const name of [...merged.keys()].sort()) {
    const { family, values } = merged.get(name)!;
    lines.push(`# HELP ${name} ${family.help}`, `# TYPE ${name} ${family.type}`);
    for (const [series, value] of values) lines.push(`${series} ${formatNumber(value)}`);
  }
  return lines.join("\n") + "\n";
}

function seriesText(
  { name, labels }: Sample,
  family: string,
  allowed: NonNullable<MetricsView["allowedLabels"]>,
): string {
  const pairs = Object.entries(labels).map(([label, value]) => {
    const values = allowed.get(`${family},${label}`);
    const shown = values && !values.has(value) ? "unexpected" : value;
    return `${label}="${shown.replace(/[\\"\n]/g, (c) => c === "\n" ? "\\n" : `\\${c}`)}"`;
  });
  return pairs.length > 0 ? `${name}{${pairs.join(",")}}` : name;
}
