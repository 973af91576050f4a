import type { Environment } from "./environment.ts";
import type { CelType } from "./types.ts";

/** The names visible within comprehensions: the innermost declaration wins. Upstream: `checker/scopes.go`. */
export class Scope {
  readonly #environment: Environment;
  readonly #outer: Scope | undefined;
  readonly #own: ReadonlyMap<string, CelType>;

  constructor(environment: Environment, outer?: Scope, own: readonly (readonly [string, CelType])[] = []) {
    this.#environment = environment;
    this.#outer = outer;
    this.#own = new Map(own);
  }

  /** A scope nested in this one; the first of two declarations of a name wins. */
  with(own: readonly (readonly [string, CelType])[]): Scope {
    return new Scope(this.#environment, this, own.toReversed());
  }

  /** The type of a name, with or without a leading dot. */
  ident(name: string): CelType | undefined {
    const plain = name.startsWith(".") ? name.slice(1) : name;
    return this.#own.get(plain) ?? (this.#outer ? this.#outer.ident(plain) : this.#environment.ident(plain));
  }
}
