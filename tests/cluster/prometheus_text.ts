/** A strict reader of Prometheus text format 0.0.4: it refuses whatever a scraper could stumble over. */

/** A metric as it is shown. */
export interface Family {
  readonly help: string;
  readonly type: string;
  /** Names of labels, without `le`. */
  readonly labels: Set<string>;
  /** Upper bounds of a histogram's buckets. */
  readonly bounds: Set<string>;
  /** Values by the series' text. */
  readonly series: Map<string, number>;
}

const NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*";
const SAMPLE = new RegExp(`^(${NAME})(?:\\{(.*)\\})? ([+-]?(?:\\d+(?:\\.\\d+)?(?:e[+-]\\d{2,})?|Inf)|NaN)$`);
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\\\|\\"|\\n)*)"(?:,(?!$)|$)/y;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  histogram: ["_bucket", "_sum", "_count"],
  summary: ["", "_sum", "_count"],
};
const TYPES = ["counter", "gauge", "histogram", "summary", "untyped"];

/** @throws {Error} Quoting the line that breaks the format, or naming the histogram that does not add up. */
export function strictFamilies(text: string): Map<string, Family> {
  const families = new Map<string, Family>();
  let current: { name: string; help?: string; family?: Family } = { name: "" };
  if (!text.endsWith("\n")) throw new Error("the text does not end with a line break");
  for (const line of text.slice(0, -1).split("\n")) {
    const refuse = (why: string) => new Error(`${why}: ${JSON.stringify(line)}`);
    const [, comment, name, rest] = new RegExp(`^# (HELP|TYPE) (${NAME}) (.+)$`).exec(line) ?? [];
    if (comment === "HELP") {
      if (families.has(name)) throw refuse("a metric is shown twice");
      current = { name, help: rest };
    } else if (comment === "TYPE") {
      if (current.name !== name || current.family) throw refuse("TYPE does not follow its HELP");
      if (!TYPES.includes(rest)) throw refuse("no such type");
      current.family = {
        help: current.help ?? "",
        type: rest,
        labels: new Set(),
        bounds: new Set(),
        series: new Map(),
      };
      families.set(name, current.family);
    } else readSample(line, current, refuse);
  }
  for (const [name, family] of families) if (family.type === "histogram") checkHistogram(name, family);
  return families;
}

function readSample(
  line: string,
  { name, family }: { readonly name: string; readonly family?: Family },
  refuse: (why: string) => Error,
): void {
  const [, sample, labelText = "", value] = SAMPLE.exec(line) ?? [];
  if (sample === undefined) throw refuse("no comment and no sample");
  const suffixes = SUFFIXES[family?.type ?? ""] ?? [""];
  if (!family || !suffixes.some((suffix) => sample === name + suffix)) throw refuse(`does not belong to ${name}`);
  const labels = new Map<string, string>();
  LABEL.lastIndex = 0;
  while (LABEL.lastIndex < labelText.length) {
    const match = LABEL.exec(labelText);
    if (!match) throw refuse("labels cannot be read");
    if (labels.has(match[1])) throw refuse("a label occurs twice");
    labels.set(match[1], match[2]);
  }
  if (sample.endsWith("_bucket") && family.type === "histogram" && !labels.has("le")) {
    throw refuse("a bucket without le");
  }
  const key = `${sample}{${[...labels].map((pair) => pair.join("=")).sort()}}`;
  if (family.series.has(key)) throw refuse("a series occurs twice");
  family.series.set(key, value === "+Inf" ? Infinity : value === "-Inf" ? -Infinity : Number(value));
  if (family.type === "counter" && !(Number(value) >= 0)) throw refuse("a counter below zero");
  for (const label of labels.keys()) if (label !== "le") family.labels.add(label);
  if (labels.has("le")) family.bounds.add(labels.get("le")!);
}

/** Buckets grow with their bounds, end with +Inf, which is the count; each has a sum. */
function checkHistogram(name: string, { series }: Family): void {
  const buckets = new Map<string, [bound: number, count: number][]>();
  for (const [key, count] of series) {
    const [, labels] = /^\w+_bucket\{(.*)\}$/.exec(key) ?? [];
    if (labels === undefined) continue;
    const parts = labels.split(",");
    const bound = parts.find((part) => part.startsWith("le="))!.slice(3);
    const others = parts.filter((part) => !part.startsWith("le=")).join(",");
    buckets.set(others, [...buckets.get(others) ?? [], [bound === "+Inf" ? Infinity : Number(bound), count]]);
  }
  for (const [labels, pairs] of buckets) {
    const isOrdered = pairs.every(([bound, count], i) =>
      i === 0 || (bound > pairs[i - 1][0] && count >= pairs[i - 1][1])
    );
    const [last, total] = pairs.at(-1)!;
    const isWhole = last === Infinity && series.get(`${name}_count{${labels}}`) === total &&
      series.has(`${name}_sum{${labels}}`);
    if (!isOrdered || !isWhole) {
      throw new Error(`histogram ${name}{${labels}} does not add up: ${JSON.stringify(pairs)}`);
    }
  }
}
