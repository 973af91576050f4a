import type { ControllerContext, ControllerDescriptor } from "./controller.ts";
import type { ControllerNeeds } from "./needs.ts";

/**
 * A controller for the registry. It is built in a context whose log carries its name.
 *
 * @param name Canonical name, as `--controllers` takes it.
 * @param build Registers informers, indexes and handlers; gives `undefined` when there is nothing to do here.
 */
export function defineController(
  name: string,
  build: ControllerDescriptor["build"],
  needs?: ControllerNeeds,
): ControllerDescriptor {
  return { name, needs, build: (context) => build(withNamedLog(context, name)) };
}

function withNamedLog(context: ControllerContext, name: string): ControllerContext {
  return { ...context, world: { ...context.world, log: context.world.log.named(name) } };
}
