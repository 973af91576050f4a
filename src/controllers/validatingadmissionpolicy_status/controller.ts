import { VALIDATINGADMISSIONPOLICIES } from "../../api/mod.ts";
import { TurnBudget } from "../../base/mod.ts";
import { WorkQueue } from "../../workqueue/mod.ts";
import { type Controller, type ControllerContext, queueController } from "../running/mod.ts";
import type { PolicyContext } from "./context.ts";
import { policyHandler } from "./handlers.ts";
import { SchemaDocuments } from "./schema_documents.ts";
import { syncPolicy } from "./sync.ts";

export const NAME = "validatingadmissionpolicy-status-controller";

export function buildPolicyStatusController(
  context: ControllerContext,
  { workers }: { readonly workers: number },
): Controller {
  const { world, metrics, informers, journal, mapper } = context;
  const policies = informers.informer(VALIDATINGADMISSIONPOLICIES);
  const queue = new WorkQueue({ world, name: "validatingadmissionpolicy-status", metrics });
  const client = context.clients.client(NAME);
  const budget = new TurnBudget(world.clock);
  const working: PolicyContext = {
    world,
    client,
    mapper,
    policies: policies.lister,
    schemas: new SchemaDocuments({ client, budget }),
    budget,
  };
  return queueController({
    name: NAME,
    world,
    journal,
    resource: VALIDATINGADMISSIONPOLICIES,
    queue,
    caches: [policies.addEventHandler(policyHandler(queue))],
    workers,
    sync: (key, { signal }) => syncPolicy(key, working, signal),
  });
}
