//! The register of codes, and the page that is made from it.

use expect_test::expect_file;
use modeshift_diagnostics::{Code, ExitStatus, Severity, Stage, register_page};

#[test]
fn the_page_of_codes_is_that_of_the_register() {
    expect_file!["../../../docs/errors.md"].assert_eq(&register_page());
}

#[test]
fn a_code_tells_severity_stage_and_exit_status() {
    let of = |code: Code| (code.severity(), code.stage(), code.exit_status() as u8);
    assert_eq!(of(Code::E0004), (Severity::Error, Stage::Usage, 2));
    assert_eq!(of(Code::E0601), (Severity::Error, Stage::Structure, 1));
    assert_eq!(of(Code::E0911), (Severity::Error, Stage::Rewriting, 101));
    assert_eq!(of(Code::W0702), (Severity::Warning, Stage::Initialization, 0));
    assert_eq!(of(Code::N0501), (Severity::Note, Stage::Modes, 0));
    assert_eq!(Code::named("E0601"), Some(Code::E0601));
    assert_eq!(Code::named("E9999"), None);
    assert_eq!(ExitStatus::Good as u8, 0);
}

#[test]
fn codes_stand_in_order_and_each_has_a_sentence() {
    for pair in Code::ALL.windows(2) {
        let key = |code: Code| (std::cmp::Reverse(code.severity()), code.as_str());
        assert!(key(pair[0]) < key(pair[1]), "{} and {}", pair[0], pair[1]);
    }
    for code in Code::ALL {
        let sentence = code.sentence();
        assert!(sentence.ends_with('.') && sentence.starts_with(|first: char| !first.is_lowercase()), "{code}");
    }
}
