import type { Controller, ControllerContext } from "./controller.ts";
import type { Host } from "./host.ts";
import type { ControllerNeeds } from "./needs.ts";
import type { OptionRows, OptionsOf, OptionValue } from "./option_rows.ts";

/** The values of a controller's options. */
export type OptionValues = Readonly<Record<string, OptionValue>>;

/** The controllers' options as the command line sets them: plain data that can be sent to threads. */
export interface ControllerOptions {
  /** The program that runs them, as metrics name it. */
  readonly program: Host;
  /** By controller name, then option name. */
  readonly values: Readonly<Record<string, OptionValues>>;
  /** Names of the feature gates that are on. */
  readonly gates: ReadonlySet<string>;
}

/** A controller that can be built: an implemented row of the registry, or one of your own. */
export interface ControllerDescriptor {
  /** Canonical name, as `--controllers` takes it. */
  readonly name: string;
  /** Feature gates that must all be on for it to be built. */
  readonly gates?: readonly string[];
  /** What it needs beyond reading whole kinds that hold no secrets. */
  readonly needs?: ControllerNeeds;
  /** Registers informers, indexes and handlers; returns `undefined` when the controller has nothing to do here. */
  build(context: ControllerContext, options: OptionValues): Promise<Controller | undefined> | Controller | undefined;
}

/** Everything known about a Kubernetes controller; `build` is absent while kubeloop does not implement it. */
export interface ControllerRow
  extends Omit<ControllerDescriptor, "build">, Partial<Pick<ControllerDescriptor, "build">> {
  /** Old names that `--controllers` accepts too. */
  readonly aliases: readonly string[];
  /**
   * The name of its client. With `--use-service-account-credentials`, also that of its account, to which kube-apiserver
   * binds the role `system:controller:<name>`.
   */
  readonly clientName: string;
  readonly gates: readonly string[];
  /** Whether `--controllers=*` includes it. */
  readonly enabledByDefault: boolean;
  /** The programs whose `--controllers` accepts it. */
  readonly hosts: readonly Host[];
  /**
   * Upstream builds it before all others, with the process's own credentials, whatever `--controllers` says, if it has
   * its keys.
   */
  readonly builtFirst: boolean;
  /**
   * Its group with `--controller-groups=auto`. Controllers that read the same high-volume kinds share a group, so that
   * few caches hold them.
   */
  readonly group: "workloads" | "garbage" | "rest";
  readonly options: OptionRows;
  /** Names of its work queues, which alerts refer to. */
  readonly queues: readonly string[];
  /** Names of the metrics that it registers besides those of its queues and informers. */
  readonly metrics: readonly string[];
  /** The finalizers that it removes, and when: a condition to follow "removes it when". */
  readonly finalizers: Readonly<Record<string, string>>;
  /** Problems with values that contradict each other or other controllers' options. */
  objections?(options: OptionValues, all: ControllerOptions): readonly string[];
}

/** What a row states; everything except the name has a default. */
type RowParts<O extends OptionRows> =
  & Pick<ControllerRow, "name">
  & Partial<Omit<ControllerRow, "options" | "objections" | "build">>
  & { readonly options?: O; objections?(options: OptionsOf<O>, all: ControllerOptions): readonly string[] };

interface Build<O extends OptionRows> {
  build(
    context: ControllerContext,
    options: OptionsOf<O>,
  ): ReturnType<ControllerDescriptor["build"]>;
}

/** A row of the registry that can be built. */
export type BuiltController = ControllerRow & ControllerDescriptor;

/**
 * Defines a row of the registry. The controller is built with the values of its own options, in a context whose log
 * carries its name.
 *
 * @example
 * ```ts
 * import { defineController } from "./mod.ts";
 * import { assertEquals } from "@std/assert";
 *
 * const { clientName, enabledByDefault } = defineController({ name: "ttl-controller", aliases: ["ttl"] });
 * assertEquals([clientName, enabledByDefault], ["ttl-controller", true]);
 * ```
 */
export function defineController<const O extends OptionRows = Record<never, never>>(
  row: RowParts<O> & Build<O>,
): BuiltController;
export function defineController<const O extends OptionRows = Record<never, never>>(row: RowParts<O>): ControllerRow;
export function defineController({ build, ...row }: RowParts<OptionRows> & Partial<Build<OptionRows>>): ControllerRow {
  const { name } = row;
  return {
    aliases: [],
    clientName: name,
    gates: [],
    enabledByDefault: true,
    hosts: ["kube-controller-manager"],
    builtFirst: false,
    group: "rest",
    options: {},
    queues: [],
    metrics: [],
    finalizers: {},
    ...row,
    ...build && { build: (context, options) => build(withNamedLog(context, name), options) },
  };
}

function withNamedLog(context: ControllerContext, name: string): ControllerContext {
  return { ...context, world: { ...context.world, log: context.world.log.named(name) } };
}
