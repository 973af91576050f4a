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
  const lines = text.split("\n");
  const out: string[] = [];
  const duplicates: RepeatedKey[] = [];
  let open: OpenMap[] = [];
  let textIndent = -1;
  let tabLine: number | undefined;
  for (const [i, line] of lines.entries()) {
    if (/^---(\s|$)/.test(line) && out.some((each) => each.trim() !== "" && !/^(#|---)/.test(each.trim()))) break;
    const indent = /^ */.exec(line)![0].length;
    const isBlank = line.trim() === "" || line.trim().startsWith("#");
    if (textIndent >= 0 && (isBlank || indent > textIndent)) {
      out.push(line);
      continue;
    }
    textIndent = -1;
    if (!isBlank && line[indent] === "\t") tabLine ??= i + 1;
    out.push(/["']/.test(line) ? line : line.replace(BOOLEAN, (_all, before, word) => `${before}${TRUE.test(word)}`));
    if (isBlank) continue;
    const item = enterItems(line, indent, open);
    open = item.open.filter((map) => map.indent <= item.indent);
    const key = KEY.exec(line.slice(item.indent))?.[1].trimEnd();
    if (key !== undefined) noteKey(key, { line: i + 1, indent: item.indent, open, duplicates });
    if (BLOCK_TEXT.test(line)) textIndent = indent;
  }
  return { duplicates, plain: out.join("\n"), ...tabLine === undefined ? {} : { tabLine } };
}

/** Skips the `- ` of list items, each of which may begin a new map. */
function enterItems(line: string, start: number, maps: OpenMap[]): { indent: number; open: OpenMap[] } {
  let indent = start;
  let open = maps;
  for (let dash = /^-\s+/.exec(line.slice(indent)); dash; dash = /^-\s+/.exec(line.slice(indent))) {
    const at = indent;
    open = open.filter((map) => map.indent <= at);
    indent += dash[0].length;
    const inside = indent;
    open = open.filter((map) => map.indent < inside);
  }
  return { indent, open };
}

function noteKey(
  text: string,
  { line, indent, open, duplicates }: {
    readonly line: number;
    readonly indent: number;
    readonly open: OpenMap[];
    readonly duplicates: RepeatedKey[];
  },
): void {
  const key = text.replace(/^(["'])(.*)\1$/, "$2");
  let map = open.find((each) => each.indent === indent);
  if (!map) open.push(map = { indent, keys: new Set() });
  if (map.keys.has(key)) duplicates.push({ key, line });
  map.keys.add(key);
}
