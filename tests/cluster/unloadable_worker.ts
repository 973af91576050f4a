/** A module for a Web Worker that cannot be loaded. */
throw new Error("this module cannot be loaded");
