import { type CloudDescription, type CloudProvider, providerBehind } from "../../cloud/mod.ts";
import type { Port } from "./port.ts";

/** Has the main thread ask the cloud, which it describes so. */
export function portCloud(port: Port, description: CloudDescription): CloudProvider {
  return providerBehind(description, async (call, signal) => (await port.ask({ about: "cloud", call }, signal)).answer);
}
