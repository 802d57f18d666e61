//! How costs grow with size, and the memory they take.

#![allow(dead_code)] // each benchmark uses its part

/// Less time than this is not measured.
const LEAST: f64 = 1e-4;

/// Sizes with what they cost.
#[derive(Default)]
pub struct Growth(Vec<(f64, f64)>);

impl Growth {
    /// One more measurement.
    pub fn add(&mut self, size: usize, cost: f64) {
        self.0.push(((size as f64).ln(), cost.max(LEAST).ln()));
    }

    /// The exponent of the power of the size that fits best; `None` of fewer than two measurements.
    pub fn exponent(&self) -> Option<f64> {
        let points = &self.0;
        let count = points.len() as f64;
        let (x, y) = (points.iter().map(|p| p.0).sum::<f64>() / count, points.iter().map(|p| p.1).sum::<f64>() / count);
        let covariance: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
        let variance: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
        (points.len() > 1).then(|| covariance / variance)
    }
}

/// The most memory that this process has had, as the kernel counts it; 0 where it does not tell.
pub fn peak_memory_in_megabytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse::<u64>().ok()).unwrap_or(0) / 1024
}
