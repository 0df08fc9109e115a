/// <reference types="vite/client" />

// Ships without types; imported for its effect only.
declare module 'monaco-editor/editor/contrib/suggest/browser/suggestController'
