//! One file per kind of request: from a document, the names it sees and a place to what the protocol wants.
//!
//! | module | purpose |
//! |---|---|
//! | [`actions`] | edits that mend a diagnostic |
//! | [`completion`] | what may stand at a place |
//! | [`diagnostics`] | what is wrong, as the protocol has it |
//! | [`folding`] | what can be folded |
//! | [`hints`] | which equation is solved for what in which modes, behind it |
//! | [`hover`] | what there is to know of the name or equation at a place |
//! | [`layout`] | formatting |
//! | [`lens`] | a line above each model |
//! | [`models`] | which models there are to choose from |
//! | [`places`] | definition, references, renaming |
//! | [`replacements`] | classes that stand in the place of others, and so keep names in common |
//! | [`signature`] | the arguments of the function that is being called |
//! | [`symbols`] | the outline |
//! | [`tokens`] | what each word is, for highlighting |

pub mod actions;
pub mod completion;
pub mod diagnostics;
pub mod folding;
pub mod hints;
pub mod hover;
pub mod layout;
pub mod lens;
pub mod models;
pub mod places;
pub mod replacements;
pub mod signature;
pub mod symbols;
pub mod tokens;

use serde_json::{Value, json};

use crate::text::Encoding;

/// What the server can do.
pub fn capabilities(encoding: Encoding) -> Value {
    json!({
        "capabilities": {
            "positionEncoding": if encoding == Encoding::Utf8 { "utf-8" } else { "utf-16" },
            "textDocumentSync": {"openClose": true, "change": 2, "save": {"includeText": false}},
            "hoverProvider": true,
            "definitionProvider": true,
            "declarationProvider": true,
            "typeDefinitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "renameProvider": {"prepareProvider": true},
            "documentSymbolProvider": true,
            "foldingRangeProvider": true,
            "semanticTokensProvider": {
                "legend": {"tokenTypes": tokens::TYPES, "tokenModifiers": tokens::MODIFIERS},
                "full": true,
                "range": true,
            },
            "completionProvider": {"triggerCharacters": [".", "("]},
            "signatureHelpProvider": {"triggerCharacters": ["(", ","]},
            "documentFormattingProvider": true,
            "documentRangeFormattingProvider": true,
            "codeLensProvider": {"resolveProvider": true},
            "inlayHintProvider": true,
            "codeActionProvider": {"codeActionKinds": ["quickfix"]},
        },
        "serverInfo": {"name": "modeshift", "version": env!("CARGO_PKG_VERSION")},
    })
}
