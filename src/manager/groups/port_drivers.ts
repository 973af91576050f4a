import type { ControllerDrivers } from "../../controllers/mod.ts";
import type { Port } from "./port.ts";

/** Has the main thread run the programs of volume drivers. */
export function portDrivers(port: Port): ControllerDrivers {
  return {
    find: () => port.ask({ about: "drivers" }),
    call: async (call, signal) => (await port.ask({ about: "driverCall", call }, signal)).answer,
  };
}
