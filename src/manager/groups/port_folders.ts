import type { ControllerFolders } from "../../controllers/mod.ts";
import type { Port } from "./port.ts";

/** Has the main thread make and remove folders. */
export function portFolders(port: Port): ControllerFolders {
  return {
    make: () => port.ask({ about: "newFolder" }),
    remove: async (path) => void await port.ask({ about: "removal", path }),
  };
}
