/** The serviceaccount-controller: ensures the ServiceAccount `default` in every namespace. */
export * from "./controller.ts";
