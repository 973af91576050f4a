import * as rows from "./rows.ts";
import type { BuiltController, ControllerRow } from "./running/mod.ts";

/**
 * Every controller of Kubernetes v1.36, whether kubeloop has it yet or not: a manifest that names one must not fail. By
 * name, after the one that is built first; upstream builds the others in any order.
 */
export const KNOWN_CONTROLLERS: readonly ControllerRow[] = Object.values(rows).sort((a, b) =>
  Number(b.builtFirst) - Number(a.builtFirst) || (a.name < b.name ? -1 : 1)
);

/** The controllers that kubeloop has. */
export const CONTROLLERS: readonly BuiltController[] = KNOWN_CONTROLLERS.filter(isBuilt);

/** Whether kubeloop has a controller. */
export function isBuilt(row: ControllerRow): row is BuiltController {
  return row.build !== undefined;
}

/** The name of the client of a controller, see {@link ControllerRow.clientName}. */
export function clientNameOf(controller: string): string {
  return KNOWN_CONTROLLERS.find(({ name }) => name === controller)?.clientName ?? controller;
}
