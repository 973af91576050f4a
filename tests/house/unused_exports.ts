/** Finds exports and files of `src` that nobody imports, from import and export statements alone. */
import { fromFileUrl, join, normalize, relative } from "@std/path";

const ROOT = fromFileUrl(new URL("../../", import.meta.url));

/** What others take from a module: names, or all of them. */
interface Taking {
  readonly from: string;
  /** The name there (`*` for all that it exports), and the name it has here if it is passed on. */
  readonly names: readonly (readonly [theirs: string, ours: string])[] | "all";
  readonly passesOn: boolean;
}

interface Module {
  readonly text: string;
  readonly declared: readonly string[];
  /** Those of them that are types alone. */
  readonly types: ReadonlySet<string>;
  readonly functions: ReadonlySet<string>;
  /** Whether it can be run by itself. */
  readonly isProgram: boolean;
  readonly takings: readonly Taking[];
}

const DECLARATION =
  /^export (?:declare )?(?:abstract )?(?:async )?(const|let|class|interface|type|enum|function\*?) ([A-Za-z_$][\w$]*)/gm;
const STATEMENT =
  /^(import|export)(?: type)? (?:\w+, )?(\{[^{}]*\}|\*(?: as \w+)?|\w+) from "((?:\.|kubeloop)[^"]*)"/gm;
const WHOLE = /(?:\bimport ?\(?|new URL\()\s*"(\.[^"]*)"/g;

/** Takes a module's exports and imports from its text; comments begin their lines otherwise than statements do. */
export function parseModule(path: string, text: string): Module {
  const resolve = (specifier: string) => specifier.startsWith(".") ? normalize(join(path, "..", specifier)) : specifier;
  const takings: Taking[] = [];
  for (const [, keyword, what, specifier] of text.matchAll(STATEMENT)) {
    const names = what.startsWith("{")
      ? what.slice(1, -1).split(",").map((item) => item.trim().replace(/^type /, "")).filter((item) => item !== "")
        .map((item) => item.split(" as ") as [string, string?]).map(([theirs, ours = theirs]) =>
          [theirs, ours] as const
        )
      : keyword === "export" && what.startsWith("* as ")
      ? [["*", what.slice(5)] as const]
      : "all";
    takings.push({ from: resolve(specifier), names, passesOn: keyword === "export" });
  }
  for (const [, specifier] of text.matchAll(WHOLE)) {
    takings.push({ from: resolve(specifier), names: "all", passesOn: false });
  }
  const declarations = [...text.matchAll(DECLARATION)];
  const declaredBy = (...keywords: string[]) =>
    new Set(declarations.filter(([, keyword]) => keywords.includes(keyword)).map((match) => match[2]));
  return {
    text,
    declared: declarations.map((match) => match[2]),
    types: declaredBy("interface", "type"),
    functions: declaredBy("function", "function*"),
    isProgram: text.includes("import.meta.main"),
    takings,
  };
}

function isTest(path: string): boolean {
  return path.startsWith("tests/");
}

/**
 * What of `modules` in `src` is unused: `file` where nobody imports the file, `file: name` where nobody imports the name. A name
 * that its own file uses may be exported for a test, or as the type of another export. What only tests use is unused.
 *
 * @param doors Modules whose exports are for others.
 */
export function unusedExports(
  modules: ReadonlyMap<string, Module>,
  doors: ReadonlySet<string>,
): string[] {
  const { used, reached } = follow(modules, doors, (path) => !isTest(path));
  const { used: tested } = follow(modules, new Set(), isTest);
  const found: string[] = [];
  for (const [path, { text, declared, types, isProgram }] of modules) {
    if (!path.startsWith("src/")) continue;
    if (doors.has(path) || isProgram) continue;
    if (!reached.has(path)) {
      found.push(path);
      continue;
    }
    const words = wordCounts(text);
    for (const name of declared) {
      const key = `${path}: ${name}`;
      const servesFile = (words.get(name) ?? 0) > 1 && (tested.has(key) || types.has(name));
      if (!used.has(key) && !servesFile) found.push(key);
    }
  }
  return found.sort();
}

/**
 * Names that doors offer although neither `src` nor an example uses them. An example is what imports as users do: a test, or a
 * page. A class or value that its own file uses may be the type of another export, and a function a part tested by itself.
 *
 * @param programs Modules that are run or generated.
 */
export function unusedBehindDoors(modules: ReadonlyMap<string, Module>, programs: ReadonlySet<string>): string[] {
  const { used } = follow(modules, programs, (path, from) => !isTest(path) || from.startsWith("kubeloop"));
  const doors = new Set([...modules.keys()].filter((path) => path.startsWith("kubeloop")));
  const { used: offered } = follow(modules, doors, () => false);
  const { used: tested } = follow(modules, new Set(), isTest);
  return [...modules].flatMap(([path, { text, declared, functions, isProgram }]) => {
    if (path.includes("/generated") || programs.has(path) || isProgram) return [];
    const words = wordCounts(text);
    const serves = (name: string) =>
      (words.get(name) ?? 0) > 1 && (!functions.has(name) || tested.has(`${path}: ${name}`));
    return declared.filter((name) => !serves(name)).map((name) => `${path}: ${name}`);
  }).filter((key) => offered.has(key) && !used.has(key)).sort();
}

/** The names that the imports of some modules, and the doors, lead to; and the files. */
function follow(
  modules: ReadonlyMap<string, Module>,
  doors: ReadonlySet<string>,
  counts: (path: string, from: string) => boolean,
) {
  const used = new Set<string>();
  const reached = new Set<string>();
  const open: [path: string, name: string | undefined][] = [...doors].map((door) => [door, undefined]);
  for (const [path, { takings }] of modules) {
    for (const { from, names, passesOn } of takings) {
      if (!counts(path, from)) continue;
      reached.add(from);
      if (passesOn) continue;
      if (names === "all") open.push([from, undefined]);
      else for (const [theirs] of names) open.push([from, theirs]);
    }
  }
  for (let next = open.pop(); next; next = open.pop()) {
    const [path, name] = next;
    const key = `${path}: ${name ?? "*"}`;
    const module = modules.get(path);
    if (used.has(key) || !module) continue;
    used.add(key);
    if (name === undefined) { for (const own of module.declared) used.add(`${path}: ${own}`); }
    for (const { from, names, passesOn } of module.takings) {
      if (!passesOn) continue;
      if (names === "all") open.push([from, name]);
      else {for (const [theirs, ours] of names) {
          if (name === undefined || name === ours) open.push([from, theirs === "*" ? undefined : theirs]);
        }}
    }
  }
  return { used, reached };
}

function wordCounts(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  // A name in a comment keeps nothing alive.
  for (const [word] of text.replace(/^\s*(?:\/\*\*|\*|\/\/).*$/gm, "").matchAll(/[A-Za-z_$][\w$]*/g)) {
    counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return counts;
}

/**
 * All modules of the repository by their paths, and those that `deno.json` names: exports, and what its tasks run. Pages and
 * doors by the names that users have are among the modules.
 */
export async function repository(): Promise<
  { modules: Map<string, Module>; doors: Set<string>; programs: Set<string> }
> {
  const modules = new Map<string, Module>();
  const add = async (path: string) =>
    modules.set(relative(ROOT, path), parseModule(relative(ROOT, path), await Deno.readTextFile(path)));
  const walk = async (folder: string) => {
    for await (const { name, isDirectory } of Deno.readDir(folder)) {
      if (isDirectory) await walk(`${folder}/${name}`);
      else if (name.endsWith(".ts")) await add(`${folder}/${name}`);
    }
  };
  for (const folder of ["src", "tests", ".ci"]) await walk(`${ROOT}${folder}`);
  for (const file of ["main.ts", "mod.ts", "README.md", "src/testkit/README.md"]) await add(`${ROOT}${file}`);
  const config = await Deno.readTextFile(`${ROOT}deno.json`);
  const doors = new Set([...config.matchAll(/(?:"| )(?:\.\/)?((?:src\/)?[\w/]+\.ts)\b/g)].map((match) => match[1]));
  const { exports } = JSON.parse(config) as { readonly exports: Readonly<Record<string, string>> };
  for (const [door, file] of Object.entries(exports)) {
    modules.set(door.replace(".", "kubeloop"), parseModule("deno.json", `export * from "${file}";`));
  }
  const named = [...doors].filter((door) => modules.has(door) && !isTest(door));
  const offered = Object.values(exports).map(normalize);
  return { modules, doors: new Set(named), programs: new Set(named).difference(new Set(offered)) };
}
