import { type CloudDescription, type CloudProvider, providerBehind } from "../../cloud/mod.ts";
import type { ControllerDrivers, ControllerFolders, ControllerSigner } from "../../controllers/mod.ts";
import type { Port } from "./port.ts";

/** A cloud provider that calls the cloud through the main thread, which describes it so. */
export function portCloud(port: Port, description: CloudDescription): CloudProvider {
  return providerBehind(description, async (call, signal) => (await port.ask({ about: "cloud", call }, signal)).answer);
}

/** Runs the programs of volume drivers through the main thread. */
export function portDrivers(port: Port): ControllerDrivers {
  return {
    find: () => port.ask({ about: "drivers" }),
    call: async (call, signal) => (await port.ask({ about: "driverCall", call }, signal)).answer,
  };
}

/** Makes and removes folders through the main thread. */
export function portFolders(port: Port): ControllerFolders {
  return {
    make: () => port.ask({ about: "newFolder" }),
    remove: async (path) => void await port.ask({ about: "removal", path }),
  };
}

/** Signs through the main thread, which keeps the keys. */
export function portSigner(port: Port): ControllerSigner {
  return {
    publicKey: (flag) => port.ask({ about: "publicKey", flag }),
    sign: (flag, algorithm, data) => port.ask({ about: "signature", flag, algorithm, data }),
  };
}
