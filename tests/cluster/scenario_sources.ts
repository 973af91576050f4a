/**
 * What a scenario is made of, as a digest: its own text and every declaration of `tests/scenarios` that it reaches. Comments, types'
 * imports and spaces do not count, so that moving code about makes no recording out of date.
 */
import { encodeHex } from "@std/encoding/hex";
import { fromFileUrl } from "@std/path";

const FOLDER = fromFileUrl(new URL("../scenarios/", import.meta.url));
const DECLARATION = /^(?:export )?(?:async )?(?:function\*?|const|let|class|interface|type|enum) (\w+)/;
const IMPORT = /^import (?:type )?\{([^}]*)\} from "\.\/(\w+)\.ts";$/gm;

interface Module {
  /** The text of each declaration, by its name. */
  readonly declarations: ReadonlyMap<string, string>;
  /** Modules of the folder, by the names that are imported from them. */
  readonly imports: ReadonlyMap<string, string>;
}

/** Tells scenarios apart by what they are made of. */
export class ScenarioSources {
  readonly #modules: ReadonlyMap<string, Module>;

  private constructor(modules: ReadonlyMap<string, Module>) {
    this.#modules = modules;
  }

  static async read(): Promise<ScenarioSources> {
    const modules = new Map<string, Module>();
    for await (const { name } of Deno.readDir(FOLDER)) {
      if (name.endsWith(".ts")) modules.set(name.slice(0, -3), moduleOf(await Deno.readTextFile(FOLDER + name)));
    }
    return new ScenarioSources(modules);
  }

  /** The digest of the scenario that is called `name`. */
  async digestOf(name: string): Promise<string> {
    const texts = new Set<string>();
    const seen = new Set<string>();
    const roots = this.#rootsOf(name);
    for (const { module, text } of roots) this.#follow(module, text, texts, seen);
    const bytes = new TextEncoder().encode([...texts].sort().join("\n"));
    return encodeHex(await crypto.subtle.digest("SHA-256", bytes)).slice(0, 16);
  }

  /** Where the scenario stands; all there is, where its name is put together. */
  #rootsOf(name: string): { readonly module: string; readonly text: string }[] {
    const all = [...this.#modules].flatMap(([module, { declarations }]) =>
      [...declarations.values()].map((text) => ({ module, text }))
    );
    for (const literal of [`name: "${name}"`, `"${name}"`]) {
      const found = all.filter(({ text }) => text.includes(literal));
      if (found.length > 0) return found.map(({ module, text }) => ({ module, text: elementWith(text, literal) }));
    }
    const found = all.filter(({ text }) => composed(text, name));
    return found.length > 0 ? found : all;
  }

  #follow(module: string, text: string, texts: Set<string>, seen: Set<string>): void {
    const open = [{ module, text }];
    for (let at = open.pop(); at; at = open.pop()) {
      texts.add(at.text.replaceAll(/\s+/g, " "));
      const { declarations, imports } = this.#modules.get(at.module)!;
      for (const [word] of at.text.matchAll(/\w+/g)) {
        const from = declarations.has(word) ? at.module : imports.get(word);
        const declared = from && this.#modules.get(from)?.declarations.get(word);
        if (!declared || seen.has(`${from} ${word}`)) continue;
        seen.add(`${from} ${word}`);
        open.push({ module: from, text: declared });
      }
    }
  }
}

/** Whether the declaration puts names like `name` together. */
function composed(declaration: string, name: string): boolean {
  return [...declaration.matchAll(/name: `([^`]+)`/g)].some(([, template]) => {
    const parts = template.split(/\$\{[^}]*\}/);
    return name.startsWith(parts[0]) && name.endsWith(parts[parts.length - 1]) && parts.join("") !== "";
  });
}

/** Of a list with an element a scenario, the one that holds `literal`; else all of it. */
function elementWith(declaration: string, literal: string): string {
  const lines = declaration.split("\n");
  if (!lines[0].endsWith("= [")) return declaration;
  const at = lines.findIndex((line) => line.includes(literal));
  const first = lines.findLastIndex((line, i) => i <= at && line.startsWith("  {"));
  const last = lines.findIndex((line, i) => i >= at && (/^ {2}\}/.test(line) || (i === first && /\},?$/.test(line))));
  return first > 0 && last >= first ? lines.slice(first, last + 1).join("\n") : declaration;
}

/** As `deno fmt` leaves it: a declaration begins at the first column. */
function moduleOf(source: string): Module {
  const imports = new Map<string, string>();
  for (const [, names, from] of source.matchAll(IMPORT)) {
    for (const name of names.split(",")) imports.set(name.replace(/^\s*type /, "").trim(), from);
  }
  const declarations = new Map<string, string>();
  let name: string | undefined;
  for (const line of source.split("\n")) {
    name = DECLARATION.exec(line)?.[1] ?? name;
    if (name && !/^\s*(?:\/\/|\/\*\*|\*)/.test(line)) {
      declarations.set(name, declarations.has(name) ? `${declarations.get(name)}\n${line}` : line);
    }
  }
  return { declarations, imports };
}
