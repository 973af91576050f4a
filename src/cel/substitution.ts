import type { Steps } from "./steps.ts";
import { type CelType, DYN, isDyn, listOf, mapOf, NULL, opaque, typeOf } from "./types.ts";

/**
 * The type variables, as far as they are determined.
 *
 * Contract:
 * 1. If a type cannot be assigned, nothing that was found out on the way is kept.
 * 2. A type is never found to be a part of itself.
 *
 * Upstream: `checker/types.go`, `checker/mapping.go`.
 */
export class Substitution {
  readonly #steps: Steps;
  readonly #found = new Map<string, CelType>();
  /** Earlier states, for backtracking. */
  readonly #trail: { readonly name: string; readonly before: CelType | undefined }[] = [];

  constructor(steps: Steps) {
    this.#steps = steps;
  }

  /** Whether each of `from` can be assigned to its counterpart in `to`. */
  assignAll(from: readonly CelType[], to: readonly CelType[]): boolean {
    const isPossible = this.#assignEach(from, to);
    if (!isPossible) this.#undo();
    this.#trail.length = 0;
    return isPossible;
  }

  /** A type with its determined variables replaced; the others stay, or become dynamic. */
  apply(type: CelType, isFinal = false): CelType {
    type = this.#resolve(type);
    if (type.kind === "param") return isFinal ? DYN : type;
    if (type.params.length === 0) return type;
    const params = type.params.map((param) => this.apply(param, isFinal));
    return params.every((param, i) => param === type.params[i]) ? type : withParams(type, params);
  }

  /** The type that a variable finally resolves to. */
  #resolve(type: CelType): CelType {
    this.#steps.take();
    for (let found; type.kind === "param" && (found = this.#found.get(type.name)); type = found) this.#steps.take();
    return type;
  }

  #undo(): void {
    for (const { name, before } of this.#trail.reverse()) {
      if (before) this.#found.set(name, before);
      else this.#found.delete(name);
    }
  }

  #set(name: string, type: CelType): void {
    this.#trail.push({ name, before: this.#found.get(name) });
    this.#found.set(name, type);
  }

  #assignEach(from: readonly CelType[], to: readonly CelType[]): boolean {
    return from.length === to.length && from.every((type, i) => this.#assign(type, to[i]));
  }

  #assign(from: CelType, to: CelType): boolean {
    this.#steps.take();
    if (to.kind === "param") {
      const [isValid, isKnown] = this.#isSubstitute(from, to);
      if (isValid) return true;
      if (isKnown) return false;
    }
    if (from.kind === "param") return this.#isSubstitute(to, from)[0];
    if (isDynOrError(from) || isDynOrError(to)) return true;
    if (from.kind === "null") return takesNull(to);
    if (to.kind === "null") return takesNull(from);
    switch (from.kind) {
      case "type":
        return to.kind === "type";
      case "opaque":
      case "list":
      case "map":
        return from.kind === to.kind && from.name === to.name && this.#assignEach(from.params, to.params);
      default:
        return isAssignable(to, from);
    }
  }

  /** Whether `param` can be `type`, and whether it was already determined. */
  #isSubstitute(type: CelType, param: CelType): readonly [boolean, boolean] {
    if (type.kind === "param" && type.name === param.name) return [true, true];
    const known = this.#found.get(param.name);
    if (known) {
      if (this.isSame(type, known)) return [true, true];
      if (!this.#assign(type, known)) return [false, true];
      const general = this.mostGeneral(type, known);
      if (!this.#occursIn(param, general)) this.#set(param.name, general);
      return [true, true];
    }
    if (this.#occursIn(param, type)) return [false, false];
    this.#set(param.name, type);
    return [true, false];
  }

  /** Whether two types are the same, by name. */
  isSame(a: CelType, b: CelType): boolean {
    this.#steps.take();
    return a === b ||
      a.kind === b.kind && a.name === b.name && a.params.length === b.params.length &&
        a.params.every((param, i) => this.isSame(param, b.params[i]));
  }

  #occursIn(param: CelType, type: CelType): boolean {
    for (; type.kind === "param"; type = this.#found.get(type.name)!) {
      this.#steps.take();
      if (type.name === param.name) return true;
      if (!this.#found.has(type.name)) return false;
    }
    this.#steps.take();
    return type.params.some((inner) => this.#occursIn(param, inner));
  }

  /** The more general of two compatible types. */
  mostGeneral(a: CelType, b: CelType): CelType {
    return this.#saysLess(a, b) ? a : b;
  }

  #saysLess(a: CelType, b: CelType): boolean {
    this.#steps.take();
    if (isDyn(a) || a.kind === "param") return true;
    if (isDyn(b) || b.kind === "param" || a.kind !== b.kind) return false;
    switch (a.kind) {
      case "opaque":
        return a.name === b.name && a.params.length === b.params.length &&
          a.params.every((param, i) => this.#saysLess(param, b.params[i]));
      case "list":
      case "map":
        return a.params.every((param, i) => this.#saysLess(param, b.params[i]));
      case "type":
        return true;
      default:
        return this.isSame(a, b);
    }
  }
}

function withParams({ kind, name }: CelType, params: readonly CelType[]): CelType {
  switch (kind) {
    case "list":
      return listOf(params[0]);
    case "map":
      return mapOf(params[0], params[1]);
    case "type":
      return typeOf(params[0]);
    default:
      return opaque(name, ...params);
  }
}

/** Whether it is dynamic, or represents an error reported before. */
export function isDynOrError(type: CelType): boolean {
  return isDyn(type) || type.kind === "error";
}

/** Upstream: IsAssignableType. */
function isAssignable(to: CelType, from: CelType): boolean {
  if (to.isNullable && from.kind === NULL.kind) return true;
  return to.kind === from.kind && to.name === from.name;
}

function takesNull(type: CelType): boolean {
  switch (type.kind) {
    case "null":
    case "opaque":
    case "struct":
    case "duration":
    case "timestamp":
      return true;
    default:
      return type.isNullable === true;
  }
}
