import type { ControllerSigner } from "../../controllers/mod.ts";
import type { Port } from "./port.ts";

/** Has the main thread sign. */
export function portSigner(port: Port): ControllerSigner {
  return {
    publicKey: (flag) => port.ask({ about: "publicKey", flag }),
    sign: (flag, algorithm, data) => port.ask({ about: "signature", flag, algorithm, data }),
  };
}
