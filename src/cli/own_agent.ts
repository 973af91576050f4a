import { VERSION } from "../api/mod.ts";
import type { UserAgentParts } from "../client/mod.ts";

/** Who the commands that only ask are to an API server: kubeloop itself, and not the manager that it can be. */
export const OWN_AGENT: UserAgentParts = { program: "kubeloop", version: `v${VERSION}` };
