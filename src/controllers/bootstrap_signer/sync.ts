import type { ConfigMap } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { byKey } from "../running/mod.ts";
import { writeSigned } from "./actions.ts";
import type { SignerContext } from "./context.ts";
import { detachedSignature } from "./detached_signature.ts";
import { signingToken } from "./signing_tokens.ts";

const CONTENT = "kubeconfig";
const SIGNATURE_PREFIX = "jws-kubeconfig-";

/**
 * Signs the ConfigMap with every signing token and removes other signatures.
 *
 * @throws {StatusError} If it could not be written.
 */
export async function syncSignatures(
  key: string,
  { world: { clock }, client, configMaps, secrets }: SignerContext,
): Promise<void> {
  const configMap = byKey(configMaps, key);
  const content = configMap?.data?.[CONTENT];
  if (!configMap || content === undefined) return;
  const budget = new TurnBudget(clock);
  const signatures: Record<string, string> = {};
  for (const secret of secrets.list()) {
    const token = signingToken(secret, clock.wallMs());
    if (token) signatures[SIGNATURE_PREFIX + token.id] = await detachedSignature(content, token);
    if (budget.spent) await budget.nextTurn();
  }
  const signed = withSignatures(configMap, signatures);
  if (signed) await writeSigned(client, signed);
}

/** The ConfigMap with exactly these signatures; `undefined` if it has them already. */
function withSignatures(configMap: ConfigMap, signatures: Readonly<Record<string, string>>): ConfigMap | undefined {
  const entries = Object.entries(configMap.data ?? {});
  const others = entries.filter(([name]) => !name.startsWith(SIGNATURE_PREFIX));
  const isSigned = entries.length - others.length === Object.keys(signatures).length &&
    Object.entries(signatures).every(([name, signature]) => configMap.data?.[name] === signature);
  return isSigned ? undefined : { ...configMap, data: { ...Object.fromEntries(others), ...signatures } };
}
