import type { Component } from "./component.ts";
import { KUBE_CONTROLLER_MANAGER } from "./kube_component.ts";
import { type FlagDefinition, Flags } from "./flags.ts";

/**
 * All flags of a program that runs controllers, in the order of its `--help`: by section, then by name. If several
 * define a flag, the first definition wins; it has an effect if any of them gives it one.
 */
export function flagsOf({ controllers, flags, sections }: Component): FlagDefinition[] {
  const ofControllers = controllers.flatMap(({ name, options, build }) =>
    Object.values(options).flatMap((option): FlagDefinition[] => {
      if (!("flag" in option)) return [];
      const { flag, type, default: standard, help: usage, section: group = name } = option;
      return [{ name: flag, type, default: standard, usage, group, isIdle: build === undefined }];
    })
  );
  const place = ({ group }: FlagDefinition) => {
    const index = sections.indexOf(group);
    return index === -1 ? sections.length : index;
  };
  const defined = [...Map.groupBy([...flags, ...ofControllers], ({ name }) => name).values()]
    .map((all) => ({ ...all[0], isIdle: all.every(({ isIdle }) => isIdle) }));
  return defined.sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1));
}

/** The command line of a program that runs controllers. */
export class ManagerFlags extends Flags {
  readonly component: Component;
  readonly #definitions: readonly FlagDefinition[];

  /** @throws {FlagError} By the contract of {@link Flags}. */
  constructor(component: Component, args: readonly string[]) {
    const definitions = flagsOf(component);
    super(definitions, args.map((arg) => arg === "-h" ? "--help" : arg));
    this.component = component;
    this.#definitions = definitions;
  }

  /** Deprecated flags that were given: they do nothing, as upstream. */
  get hidden(): string[] {
    return this.#definitions.filter(({ name, isHidden }) => isHidden && this.given.includes(name))
      .map(({ name }) => name);
  }

  /** Flags that were given but do nothing here yet. */
  get idle(): string[] {
    const idle = new Set(this.#definitions.filter(({ isIdle }) => isIdle).map(({ name }) => name));
    return this.given.filter((name) => idle.has(name));
  }
}

/**
 * The flags of kube-controller-manager, or of another program.
 *
 * @throws {FlagError} By the contract of {@link Flags}.
 */
export function managerFlags(args: readonly string[], component: Component = KUBE_CONTROLLER_MANAGER): ManagerFlags {
  return new ManagerFlags(component, args);
}
