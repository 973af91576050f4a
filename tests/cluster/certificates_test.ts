/** What becomes of requests for certificates under upstream's manager and under ours, on a real API server. */
import { makeSigningAuthorities, SIGNING_FLAGS } from "../controlplane/signing_authorities.ts";
import { CERTIFICATE_SCENARIOS } from "../scenarios/certificate_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

const CONTROLLERS = [
  "certificatesigningrequest-approving-controller",
  "certificatesigningrequest-signing-controller",
  "certificatesigningrequest-cleaner-controller",
];

parityTest("Requests for certificates end the same under kubeloop as under upstream's manager", async () => {
  await makeSigningAuthorities();
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, {
    area: "certificates",
    scenarios: CERTIFICATE_SCENARIOS,
    controllers: CONTROLLERS,
    flags: SIGNING_FLAGS,
  });
});
