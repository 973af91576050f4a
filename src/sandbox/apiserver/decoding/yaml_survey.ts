/** What the lines of a YAML text reveal that the parser used here does not report. */
export interface YamlSurvey {
  /** Duplicate keys of block maps, with their lines. */
  readonly duplicates: readonly RepeatedKey[];
  /** The first document, with YAML 1.1's booleans spelled out. */
  readonly plain: string;
  /** The first line indented by a tab, which YAML forbids. */
  readonly tabLine?: number;
}

/** A key that its map already has. */
export interface RepeatedKey {
  readonly key: string;
  /** The first line is 1. */
  readonly line: number;
}

const KEY = /^("(?:[^"\\]|\\.)*"\s*|'(?:[^']|'')*'\s*|[^\s#&*!|>'"%@`{}[\],-][^#]*?|-[^\s#][^#]*?):(?=\s|$)/;
/** The beginnings of list items; each may begin a new map. */
const ITEMS = /^(?:-\s+)*/;
const BLOCK_TEXT = /(?:^|[:-]\s+)[|>][-+\d]*\s*(?:#|$)/;
const TRUE = /^(y|yes|on)$/i;
const BOOLEAN = /((?:^|[:-]\s+|[[,]\s*))(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)(?=\s*(?:$|#|[\],}]))/g;

/** A block map: the indentation of its keys, and the keys so far. */
interface OpenMap {
  readonly indent: number;
  readonly keys: Set<string>;
}

/** Scans a text line by line. It knows block maps and lists, not the keys inside `{}`. */
export function surveyYaml(text: string): YamlSurvey {
  const out: string[] = [];
  const duplicates: RepeatedKey[] = [];
  let open: OpenMap[] = [];
  let textIndent = -1;
  let tabLine: number | undefined;
  for (const [i, line] of text.split("\n").entries()) {
    if (/^---(\s|$)/.test(line) && out.some((each) => each.trim() !== "" && !/^(#|---)/.test(each.trim()))) break;
    const indent = /^ */.exec(line)![0].length;
    const isBlank = line.trim() === "" || line.trim().startsWith("#");
    if (textIndent >= 0 && (isBlank || indent > textIndent)) {
      out.push(line);
      continue;
    }
    textIndent = BLOCK_TEXT.test(line) && !isBlank ? indent : -1;
    if (!isBlank && line[indent] === "\t") tabLine ??= i + 1;
    out.push(/["']/.test(line) ? line : line.replace(BOOLEAN, (_all, before, word) => `${before}${TRUE.test(word)}`));
    if (isBlank) continue;
    open = open.filter((map) => map.indent <= indent);
    // The keys of an item are indented by its `- ` as well.
    const start = indent + ITEMS.exec(line.slice(indent))![0].length;
    const key = KEY.exec(line.slice(start))?.[1].trimEnd().replace(/^(["'])(.*)\1$/, "$2");
    if (key === undefined) continue;
    let map = open.find((each) => each.indent === start);
    if (!map) open.push(map = { indent: start, keys: new Set() });
    if (map.keys.has(key)) duplicates.push({ key, line: i + 1 });
    map.keys.add(key);
  }
  return { duplicates, plain: out.join("\n"), tabLine };
}
