import type { KubeObject } from "../api/mod.ts";
import type { EventHandler } from "./event_handler.ts";
import { type DeletedFinalStateUnknown, deletedKey } from "./tombstone.ts";

/** A pending call of event handlers. Shared by all listeners. */
export type Notification<T> =
  | { readonly kind: "add"; readonly object: T; readonly isInInitialList: boolean }
  | { readonly kind: "update"; readonly oldObject: T; readonly newObject: T }
  | { readonly kind: "delete"; readonly object: T | DeletedFinalStateUnknown<T> };

/** Makes the call and returns the handler's result, which may be a promise despite its type. */
export function notify<T>(handler: EventHandler<T>, notification: Notification<T>): unknown {
  switch (notification.kind) {
    case "add":
      return handler.onAdd?.(notification.object, notification.isInInitialList);
    case "update":
      return handler.onUpdate?.(notification.oldObject, notification.newObject);
    case "delete":
      return handler.onDelete?.(notification.object);
  }
}

/** Which object a notification is about, for the log. */
export function notificationKey(notification: Notification<KubeObject>): string {
  return deletedKey(notification.kind === "update" ? notification.newObject : notification.object);
}
