// One symbol too many, for the plugin that is linked without the version script.
extern "C" __attribute__((visibility("default"))) int symbol_that_nobody_asked_for() { return 1; }
