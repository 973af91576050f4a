import { errorText } from "../../base/mod.ts";
import { certificateController, CLIENT_NAME } from "../certificates/mod.ts";
import { type Controller, type ControllerContext, together } from "../running/mod.ts";
import type { SigningContext } from "./context.ts";
import { FILES, pairsOf, type Paths } from "./options.ts";
import { SigningAuthority } from "./signing_authority.ts";
import { syncSigning } from "./sync.ts";

export const NAME = "certificatesigningrequest-signing-controller";

/** @throws {Error} If an authority cannot be used from the start. */
export async function buildSigningController(
  context: ControllerContext,
  { durationMs, ...paths }: Paths & { readonly durationMs: number },
): Promise<Controller | undefined> {
  const { world, clients } = context;
  const pairs = pairsOf(paths);
  if (!pairs) {
    world.log.info("Skipping CSR signer controller because no csr cert/key was specified");
    return undefined;
  }
  const controllers: Controller[] = [];
  for (const { signer, pair } of pairs) {
    if (!pair) {
      world.log.info(
        "Skipping CSR signer controller because specific files were specified for other signers and not this one",
        { controller: signer.name },
      );
      continue;
    }
    const authority = new SigningAuthority(world.log, context, {
      cert: FILES[pair.cert].flag,
      key: FILES[pair.key].flag,
    });
    await authority.current().catch((error) => {
      throw new Error(`failed to init ${signer.name} certificate controller: ${errorText(error)}`, { cause: error });
    });
    const client = clients.client(CLIENT_NAME);
    const signing: SigningContext = { world, client, signer, authority, longestMs: durationMs };
    controllers.push(certificateController(context, {
      name: NAME,
      handle: (request) => syncSigning(request, signing),
    }));
  }
  return together(...controllers);
}
