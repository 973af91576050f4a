import { type ControllerOptions, CONTROLLERS, type OptionType, type OptionValue } from "../controllers/mod.ts";
import type { FeatureGates } from "./feature_gates.ts";
import type { Flags } from "./flags.ts";

/** Reads what the flags and feature gates say to controllers. */
export function controllerOptions(flags: Flags, gates: FeatureGates): Omit<ControllerOptions, "rootCaText"> {
  const values = CONTROLLERS.map(({ name, options }) => {
    const rows = Object.entries(options).flatMap(([key, row]) => "flag" in row ? [[key, row] as const] : []);
    return [name, Object.fromEntries(rows.map(([key, { flag, type }]) => [key, valueOf(flags, flag, type)]))];
  });
  return {
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
