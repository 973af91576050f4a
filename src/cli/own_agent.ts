import { VERSION } from "../api/mod.ts";
import type { UserAgentParts } from "../client/mod.ts";

/** The User-Agent of read-only commands: kubeloop itself, not a manager. */
export const OWN_AGENT: UserAgentParts = { program: "kubeloop", version: `v${VERSION}` };
