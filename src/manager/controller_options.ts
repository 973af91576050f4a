import type { ControllerOptions, OptionType, OptionValue } from "../controllers/mod.ts";
import type { FeatureGates } from "./feature_gates.ts";
import type { Flags } from "./flags.ts";
import type { ManagerFlags } from "./manager_flags.ts";

/** Reads the controllers' options from flags and feature gates. */
export function controllerOptions(flags: ManagerFlags, gates: FeatureGates): ControllerOptions {
  const values = flags.component.controllers.map(({ name, options }) => {
    const rows = Object.entries(options).flatMap(([key, row]) => "flag" in row ? [[key, row] as const] : []);
    return [name, Object.fromEntries(rows.map(([key, { flag, type }]) => [key, valueOf(flags, flag, type)]))];
  });
  return {
    program: flags.component.name,
    values: Object.fromEntries(values),
    gates: new Set(gates.all.filter(({ enabled }) => enabled).map(({ name }) => name)),
  };
}

function valueOf(flags: Flags, flag: string, type: OptionType): OptionValue {
  switch (type) {
    case "bool":
      return flags.bool(flag);
    case "string":
      return flags.string(flag);
    case "duration":
      return flags.durationMs(flag);
    default:
      return flags.number(flag);
  }
}
