import type { ValidatingAdmissionPolicy } from "../../api/mod.ts";
import type { TurnBudget, World } from "../../base/mod.ts";
import type { Lister } from "../../cache/mod.ts";
import type { Client, RestMapper } from "../../client/mod.ts";
import type { SchemaDocuments } from "./schema_documents.ts";

/** The inputs and clients of a sync. */
export interface PolicyContext {
  readonly world: World;
  readonly client: Pick<Client, "apply">;
  readonly mapper: Pick<RestMapper, "kindsFor" | "reset">;
  readonly policies: Pick<Lister<ValidatingAdmissionPolicy>, "get">;
  readonly schemas: Pick<SchemaDocuments, "of">;
  /** How long all workers together may hold the thread. */
  readonly budget: TurnBudget;
}
