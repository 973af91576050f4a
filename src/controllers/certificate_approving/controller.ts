import { certificateController, CLIENT_NAME } from "../certificates/mod.ts";
import type { Controller, ControllerContext } from "../running/mod.ts";
import { NotAllowedError, syncApproval } from "./sync.ts";

export const NAME = "certificatesigningrequest-approving-controller";

export function buildApprovingController(context: ControllerContext): Controller {
  const client = context.clients.client(CLIENT_NAME);
  const { log } = context.world;
  return certificateController(context, {
    name: NAME,
    handle: (request) => syncApproval(client, request),
    onError(key, err) {
      if (err instanceof NotAllowedError) log.verbose(4, "Sync certificate request failed", { csr: key, err });
      else log.error("Sync failed, will retry", { err, key });
      return "retry";
    },
  });
}
